import { describe, expect, it } from "vitest";
import { openRocksMq } from "../../rocksmq/index.js";
import { ManualClock, MemoryVfs } from "../../testing/index.js";
import type { LogBackend } from "../log-backend.js";
import { RocksMqBackend } from "./rocksmq-backend.js";

/** What the program below was told before the end: a text for each acknowledged record, and each position that was saved. */
interface Told {
  readonly acked: string[];
  readonly saved: number[];
}

/** A consumer's life: it appends a group, handles it, and keeps its place, which is how many records it has handled. */
async function live(backend: LogBackend, told: Told): Promise<void> {
  await backend.createChannel("a", { ifNotExists: true });
  const writer = await backend.openWriter("a");
  for (let round = 0; round < 4; round++) {
    const texts = [`${round}-0`, `${round}-1`];
    const ids = await writer.append(texts.map((text) => ({ payload: Buffer.from(text), properties: {} })));
    told.acked.push(...texts);
    const place = told.acked.length;
    await backend.saveResumePoints("s", [{ channel: "a", position: Buffer.from(String(place)), keepFrom: ids.at(-1) }]);
    told.saved.push(place);
  }
}

async function open(vfs: MemoryVfs) {
  const mq = await openRocksMq({ dir: "/queue", vfs, clock: new ManualClock(), prefill: "off" });
  return { mq, backend: new RocksMqBackend(mq) };
}

/** What is there: the texts, and the position. */
async function found(vfs: MemoryVfs): Promise<{ texts: string[]; place: number }> {
  const { mq, backend } = await open(vfs);
  try {
    if (!(await mq.channels()).includes("a")) return { texts: [], place: 0 };
    const texts: string[] = [];
    const latest = await backend.latestId("a");
    const reader = await backend.openReader("a", "earliest");
    for (let id = undefined as typeof latest; latest !== undefined && id?.equals(latest) !== true;) {
      const records = (await reader.next()) ?? [];
      texts.push(...records.map(({ payload }) => Buffer.from(payload).toString()));
      id = records.at(-1)?.id;
    }
    const position = (await backend.loadResumePoints("s", ["a"])).get("a");
    return { texts, place: position === undefined ? 0 : Number(Buffer.from(position).toString()) };
  } finally {
    await mq.close();
  }
}

/** Runs the life until so many operations have changed the disk; then nothing settles any more. False when it was over before. */
async function cutAfter(operations: number): Promise<{ vfs: MemoryVfs; told: Told } | undefined> {
  const vfs = new MemoryVfs(operations);
  const told: Told = { acked: [], saved: [] };
  const { mq, backend } = await open(vfs);
  const halted = vfs.haltAfter(operations).then(() => true);
  const over = live(backend, told)
    .then(() => mq.close())
    .then(() => false);
  return (await Promise.race([halted, over])) ? { vfs, told } : undefined;
}

const whole = ["0-0", "0-1", "1-0", "1-1", "2-0", "2-1", "3-0", "3-1"];

describe("a RocksMq back-end whose life is cut at any operation on the disk", () => {
  it("by a power cut loses no record that was acknowledged, and never has a position ahead of its records", async () => {
    let cuts = 0;
    for (let cut = await cutAfter(0); cut !== undefined; cut = await cutAfter(cuts)) {
      const { texts, place } = await found(cut.vfs.crash());

      expect(texts.slice(0, cut.told.acked.length)).toEqual(cut.told.acked);
      expect(texts).toEqual(whole.slice(0, texts.length));
      expect(texts.length % 2).toBe(0);
      expect(place).toBeLessThanOrEqual(texts.length);
      cuts += 1;
    }
    expect(cuts).toBeGreaterThan(10);
  });

  it("by a kill keeps the last position that was saved too", async () => {
    let cuts = 0;
    for (let cut = await cutAfter(0); cut !== undefined; cut = await cutAfter(cuts)) {
      const { texts, place } = await found(cut.vfs.kill());

      expect(texts.slice(0, cut.told.acked.length)).toEqual(cut.told.acked);
      expect(place).toBeGreaterThanOrEqual(cut.told.saved.at(-1) ?? 0);
      expect(place).toBeLessThanOrEqual(texts.length);
      cuts += 1;
    }
    expect(cuts).toBeGreaterThan(10);
  });
});
