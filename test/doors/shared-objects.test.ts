/** What a door hands out more than once can't be changed by whoever has it: JavaScript knows no `readonly`. */
import { expect, it } from "vitest";
import * as everyDoor from "../../src/index.js";
import { memoryMsgStreamFactory, openRocksMq, physicalMs, timeTick, tsMsg } from "../../src/index.js";
import { MemoryVfs } from "../../src/testing/index.js";

/** The two that protobuf generates. */
const generated = new Set(["DataType", "InsertDataVersion"]);

it("tables are frozen", () => {
  const tables = Object.entries(everyDoor).filter(([name, value]) => typeof value === "object" && !generated.has(name));

  expect(tables.length).toBeGreaterThan(8);
  expect(tables.filter(([, table]) => !Object.isFrozen(table)).map(([name]) => name)).toEqual([]);
  expect(Object.entries(everyDoor.errorCodes).filter(([, advice]) => !Object.isFrozen(advice))).toEqual([]);
});

it("a queue's usual retention, which every channel without one of its own shows, is frozen", async () => {
  await using mq = await openRocksMq({ dir: "/d", vfs: new MemoryVfs(), retention: { ageMs: 1_000 } });
  await mq.createChannel("c");

  const { retention } = await mq.describeChannel("c");

  expect(Reflect.set(retention, "ageMs", 1)).toBe(false);
  expect((await mq.describeChannel("c")).retention).toEqual({ ageMs: 1_000 });
});

it("an event, which every listener gets, is frozen with its lists", async () => {
  await using mq = await openRocksMq({ dir: "/d", vfs: new MemoryVfs() });
  await mq.createChannel("c");
  const listeners = [mq.events(), mq.events()];
  const heard = listeners.map(async (events): Promise<unknown> => (await events[Symbol.asyncIterator]().next()).value);
  await mq.produce("c", [{ payload: Buffer.from("m") }]);

  await mq.trim("c", (await mq.describeChannel("c")).endId);

  const [one, other] = await Promise.all(heard);
  expect(one).toMatchObject({ type: "trimmed" });
  expect(one).toBe(other);
  expect(Object.isFrozen(one)).toBe(true);
});

it("the checkpoint in a pack is the one that the stream keeps, whatever its consumer does to the pack", async () => {
  await using factory = memoryMsgStreamFactory({ packMessages: 1 });
  const stream = await factory.newMsgStream();
  await stream.asProducer(["c"]);
  for (const ms of [1, 2, 3]) await stream.produce({ msgs: [tsMsg({ type: "user", timestamp: timeTick(ms), hashKeys: [0] })] });
  const reader = await factory.newMsgStream();
  await reader.asConsumer(["c"], "s", "earliest");
  const pack = await reader.consume();

  for (const list of [pack?.startPositions ?? [], pack?.endPositions ?? []]) {
    for (const position of list) expect(Reflect.set(position, "msgId", undefined)).toBe(false);
    expect(Reflect.set(list, "length", 0)).toBe(false);
  }
  if (pack !== undefined) Reflect.set(pack, "endPositions", []);
  await reader.consume();
  await reader.close();
  const resumed = await factory.newMsgStream();
  await resumed.asConsumer(["c"], "s");

  expect((await resumed.consume())?.msgs.map(({ beginTs }) => physicalMs(beginTs))).toEqual([2]);
});
