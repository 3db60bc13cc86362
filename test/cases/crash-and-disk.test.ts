/**
 * Public reports about crashes and disks, in the queue's terms: `cases.md` 12, 23, 24 and 30, on a disk in memory that stops where it is told.
 * (Crashes after every operation of a longer script, and real kills, are in `test/crash/`.)
 */
import { describe, expect, it } from "vitest";
import { openRocksMq, type RocksMq, type RocksMqOptions } from "../../src/rocksmq/index.js";
import { MemoryVfs } from "../../src/testing/index.js";
import { closing, filled, message, numbered, readAll, texts } from "../rocksmq/stores.js";

async function openOn(vfs: MemoryVfs, options: Partial<RocksMqOptions> = {}): Promise<RocksMq> {
  return closing(await openRocksMq({ dir: "/queue", vfs, ...options }));
}

/** A queue that no test closes: its process is going to be killed. */
async function doomedOn(vfs: MemoryVfs, options: Partial<RocksMqOptions> = {}): Promise<RocksMq> {
  return openRocksMq({ dir: "/queue", vfs, ...options });
}

/** Runs `work` until the disk stops after that many operations, or it is done; tells whether it was done. */
async function stopAfter(vfs: MemoryVfs, operations: number, work: () => Promise<unknown>): Promise<boolean> {
  const halted = vfs.haltAfter(operations).then(() => false);
  return Promise.race([halted, work().then(() => true)]);
}

describe("case 12: the last message consumed and the process killed while old files go", () => {
  it("positions never begin anew, wherever the kill comes", async () => {
    let stops = 0;
    for (let operations = 0; ; operations++) {
      const vfs = new MemoryVfs(operations + 1);
      const doomed = await doomedOn(vfs, { segmentBytes: 4096 });
      await filled(doomed, 3);
      for (let at = 0; at < 8; at++) await doomed.produce("c", [{ payload: new Uint8Array(1_000) }]);
      const { lastId } = await doomed.produce("c", [message("last")]);
      await doomed.consume("g", "c", 100);

      const done = await stopAfter(vfs, operations, () => doomed.trim("c", lastId + 1n));
      const mq = await openOn(operations % 2 === 0 ? vfs.kill() : vfs.crash());

      const described = await mq.describeChannel("c");
      expect(described.endId, `after ${operations}`).toBe(lastId + 1n);
      const { firstId } = await mq.produce("c", [message("next")]);
      expect(firstId).toBeGreaterThan(lastId);
      if (done) break;
      stops += 1;
    }
    expect(stops).toBeGreaterThan(1);
  });

  it("the group goes on behind what it consumed before the kill", async () => {
    const vfs = new MemoryVfs();
    const doomed = await doomedOn(vfs);
    await filled(doomed, 10);
    expect(texts(await doomed.consume("g", "c", 7))).toHaveLength(7);

    const mq = await openOn(vfs.kill());

    expect(texts(await mq.consume("g", "c", 10))).toEqual(["7", "8", "9"]);
  });
});

describe("case 23: two kills in quick succession, the second inside recovery", () => {
  it("lose nothing acked, wherever the second comes", async () => {
    let stops = 0;
    for (let operations = 0; ; operations++) {
      const first = new MemoryVfs(operations + 1);
      const doomed = await doomedOn(first);
      await filled(doomed, 10);
      await doomed.seekToLatest("g", "c");
      await doomed.produce("c", numbered(10, 20));
      // In flight when the power goes.
      doomed.produce("c", numbered(20, 30)).catch(() => undefined);
      const second = first.crash();
      const done = await stopAfter(second, operations, () => doomedOn(second));

      const mq = await openOn(second.crash());

      const found = texts(await readAll(mq, "c"));
      expect(found.slice(0, 20), `after ${operations}`).toEqual(Array.from({ length: 20 }, (_, at) => String(at)));
      expect([20, 30]).toContain(found.length);
      expect(texts(await mq.consume("g", "c", 10))).toEqual(found.slice(10, 20));
      if (done) break;
      stops += 1;
    }
    expect(stops).toBeGreaterThan(1);
  });

  it("a disk that is full at open is no loss: it opens, or opens when there is space", async () => {
    const before = new MemoryVfs();
    const doomed = await doomedOn(before);
    await filled(doomed, 50);
    const vfs = before.kill();
    vfs.setCapacity(vfs.usedBytes);

    const full: unknown = await openRocksMq({ dir: "/queue", vfs }).then(
      async (mq) => {
        await expect(mq.produce("c", [{ payload: new Uint8Array(2_000_000) }])).rejects.toMatchObject({
          code: "disk-full",
          effect: "none",
        });
        expect(texts(await mq.consume("g", "c", 1))).toEqual(["0"]);
        await mq.close();
        return { code: "opened" };
      },
      (error: unknown) => error,
    );
    expect(full).toMatchObject({ code: expect.stringMatching(/^(opened|disk-full)$/) as string });
    vfs.setCapacity(Infinity);
    const mq = await openOn(vfs);

    expect(texts(await readAll(mq, "c"))).toHaveLength(50);
    await mq.produce("c", [message("after")]);
  });
});

describe("case 24: the tail of an older file is cut off while newer ones are whole", () => {
  it("is corrupt, with the file and the place, and never a channel with a hole", async () => {
    const vfs = new MemoryVfs();
    const mq = await openOn(vfs, { segmentBytes: 4096 });
    await filled(mq, 1);
    for (let at = 0; at < 20; at++) await mq.produce("c", [{ payload: new Uint8Array(1_000).fill(at) }]);
    await mq.close();
    const segments = [...vfs.snapshot().keys()].filter((path) => path.endsWith(".seg")).sort();
    const older = segments[1] ?? "";
    expect(segments.length).toBeGreaterThan(3);
    const bytes = vfs.fileBytes(older);

    vfs.setFileBytes(older, bytes.slice(0, bytes.length - 600));

    const found = async (): Promise<unknown> => {
      const again = await openOn(vfs, { segmentBytes: 4096 });
      return readAll(again, "c");
    };
    const corrupt: unknown = await found().catch((error: unknown) => error);
    expect(corrupt).toMatchObject({
      code: "corrupt",
      details: { file: expect.stringContaining(older.split("/").at(-1) ?? "?") as string },
    });
    expect(Reflect.get(Object(Reflect.get(Object(corrupt), "details")), "offset")).toBeTypeOf("number");
  });
});

describe("case 30: a channel half created at a restart", () => {
  it("is whole or absent, wherever the crash comes", async () => {
    const found = new Set<string>();
    for (let operations = 0; ; operations++) {
      const vfs = new MemoryVfs(operations + 1);
      const doomed = await doomedOn(vfs);
      await doomed.createConsumerGroup("g");

      const done = await stopAfter(vfs, operations, () => doomed.createChannel("c"));
      const mq = await openOn(vfs.crash());

      const channels = await mq.channels();
      found.add(channels.join());
      if (done) expect(channels).toEqual(["c"]);
      if (channels.length === 0) await mq.createChannel("c");
      expect(await mq.describeChannel("c")).toMatchObject({ name: "c", messages: 0n });
      await mq.produce("c", [message("x")]);
      expect(texts(await mq.consume("g", "c", 10))).toEqual(["x"]);
      if (done) break;
    }
    expect([...found].sort()).toEqual(["", "c"]);
  });
});
