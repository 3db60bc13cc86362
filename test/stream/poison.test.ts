/**
 * What a stream makes of records that are no messages.
 */
import { describe, expect, it } from "vitest";
import { openRocksMq } from "../../src/rocksmq/index.js";
import { memoryMsgStreamFactory, rocksMqMsgStreamFactory } from "../../src/stream/index.js";
import { MemoryVfs } from "../../src/testing/index.js";
import { Logs, nothingComes } from "./logs.js";

describe("a message that does not decode", () => {
  it("is left out, counted and told; or ends the stream, when that is asked for", async () => {
    const unmarshal = {
      unmarshal: () => {
        throw new Error("no such message");
      },
      addMsgTemplate: () => undefined,
    };
    const factory = memoryMsgStreamFactory();
    await new Logs(factory).write("c1", "a@1");
    factory.setParams({ unmarshal });
    const skipping = await factory.newMsgStream();
    await skipping.asConsumer(["c1"], "s");
    const events = skipping.events()[Symbol.asyncIterator]();
    skipping.start();
    factory.setParams({ poison: "throw" });
    const throwing = await factory.newTtMsgStream();
    await throwing.asConsumer(["c1"], "t");

    expect((await events.next()).value).toMatchObject({ type: "poison", channel: "c1" });
    expect(await nothingComes(skipping)).toBe(true);
    await expect(throwing.consume()).rejects.toMatchObject({ code: "corrupt" });
    await factory.close();
  });
});

it("a record that is no message is told with the field and the offset where it ends to be one", async () => {
  await using mq = await openRocksMq({ dir: "/d", vfs: new MemoryVfs(1) });
  await using factory = rocksMqMsgStreamFactory(mq, { poison: "throw" });
  await mq.createChannel("c1");
  await mq.produce("c1", [{ payload: Uint8Array.of(10, 5, 1), properties: { msg_type: "Insert" } }]);
  const stream = await factory.newMsgStream();
  await stream.asConsumer(["c1"], "s");

  await expect(stream.consume()).rejects.toMatchObject({ code: "corrupt", details: { file: "c1", field: "body.base", offset: 1 } });
});
