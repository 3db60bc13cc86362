/**
 * What a channel takes, to the byte, whoever trims it and wherever; and that retention by bytes goes by it.
 */
import { describe, expect, it } from "vitest";
import type { ProducerMessage, ProduceResult, RocksMq } from "../../src/rocksmq/index.js";
import { lastingStores, settle, stores } from "./stores.js";
import { begunAt, watched } from "./told.js";

/** Messages of about `bytes`, no two as large. */
function uneven(count: number, bytes: number): { payload: Uint8Array }[] {
  return Array.from({ length: count }, (_, at) => ({ payload: new Uint8Array(bytes - at) }));
}

/** Each in an append of its own. */
async function produced(mq: RocksMq, channel: string, messages: readonly ProducerMessage[]): Promise<ProduceResult[]> {
  const results: ProduceResult[] = [];
  for (const one of messages) results.push(await mq.produce(channel, [one]));
  return results;
}

/** A channel has the bytes of one that nothing was ever produced to but these, one by one, and then a batch. Returns them. */
async function expectBytesOf(
  mq: RocksMq,
  channel: string,
  left: readonly ProducerMessage[],
  batch: readonly ProducerMessage[] = [],
): Promise<bigint> {
  const beside = `beside ${channel} ${left.length} ${batch.length}`;
  await mq.createChannel(beside);
  await produced(mq, beside, left);
  if (batch.length > 0) await mq.produce(beside, batch);
  const { bytes } = await mq.describeChannel(beside);
  await mq.destroyChannel(beside);
  expect((await mq.describeChannel(channel)).bytes).toBe(bytes);
  return bytes;
}

describe.each(stores)("The bytes of a channel on $name", ({ open }) => {
  it("by bytes keeps exactly what it should of a channel that was trimmed by hand, in the middle of uneven messages", async () => {
    const { mq, events } = await watched(open);
    for (const name of ["heavy end", "light end"]) await mq.createChannel(name);
    const [heavy, light] = [uneven(8, 5000), uneven(8, 50)];
    const heavyEnd = await produced(mq, "heavy end", [...light, ...heavy]);
    const lightEnd = await produced(mq, "light end", [...heavy, ...light]);

    await mq.trim("heavy end", heavyEnd[6]?.firstId ?? 0n);
    await mq.trim("light end", lightEnd[6]?.firstId ?? 0n);

    await expectBytesOf(mq, "heavy end", [...light.slice(6), ...heavy]);
    const bytes = await expectBytesOf(mq, "light end", [...heavy.slice(6), ...light]);
    await mq.alterChannel("light end", { retention: { bytes: Number(bytes) } });
    await mq.alterChannel("heavy end", { retention: { bytes: Number(bytes) } });
    await begunAt(events, heavyEnd[14]?.firstId);
    expect((await mq.describeChannel("light end")).messages).toBe(10n);
    await expectBytesOf(mq, "heavy end", heavy.slice(6));
  });

  it("counts of an append that was trimmed in its middle what is left of it", async () => {
    const { mq } = await watched(open);
    await mq.createChannel("c");
    const batch = [...uneven(3, 9000), ...uneven(5, 10)];
    const { firstId } = await mq.produce("c", batch);
    await mq.produce("c", uneven(1, 700));

    await mq.trim("c", firstId + 4n);

    const { bytes } = await mq.describeChannel("c");
    await mq.createChannel("same");
    await mq.produce("same", batch.slice(4));
    await mq.produce("same", uneven(1, 700));
    expect(bytes).toBe((await mq.describeChannel("same")).bytes);
    await mq.alterChannel("c", { retention: { bytes: Number(bytes) } });
    await settle();
    expect((await mq.describeChannel("c")).messages).toBe(5n);
  });

  it("goes by what is there when somebody trims in the middle of what it has looked at", async () => {
    const { mq, events } = await watched(open);
    const pair = [...uneven(1, 5000), ...uneven(1, 100)];
    await mq.createChannel("c", { retention: { bytes: 20_000 } });
    const results: ProduceResult[] = [];
    for (let at = 0; at < 4; at++) results.push(await mq.produce("c", pair));
    await begunAt(events, results[1]?.firstId);

    await mq.trim("c", results[1]?.lastId ?? 0n);
    for (let at = 0; at < 2; at++) results.push(await mq.produce("c", pair));
    await begunAt(events, results[3]?.firstId);

    await mq.createChannel("beside");
    for (let at = 0; at < 3; at++) await mq.produce("beside", pair);
    expect((await mq.describeChannel("c")).bytes).toBe((await mq.describeChannel("beside")).bytes);
  });
});

describe.each(lastingStores)("The bytes of a channel on $name, opened again", ({ place }) => {
  it("knows what a channel takes to the byte, trimmed in the middle of an append and between uneven ones", async () => {
    const dir = place();
    const before = await dir.open();
    await before.createChannel("c");
    const sizes = [4000, 10, 900, 20, 3000, 30, 7, 2500];
    const all = sizes.flatMap((bytes) => uneven(1, bytes));
    const ids = [...(await produced(before, "c", all)), await before.produce("c", all)].map(({ firstId }) => firstId);
    await before.trim("c", ids[3] ?? 0n);
    await expectBytesOf(before, "c", all.slice(3), all);
    await before.close();

    const mq = await dir.open();
    await expectBytesOf(mq, "c", all.slice(3), all);
    await mq.trim("c", (ids[8] ?? 0n) + 4n);
    await expectBytesOf(mq, "c", [], all.slice(4));
    await mq.close();

    const last = await dir.open();
    await expectBytesOf(last, "c", [], all.slice(4));
    expect((await last.describeChannel("c")).messages).toBe(4n);
  });
});
