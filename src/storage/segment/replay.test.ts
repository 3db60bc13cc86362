import { describe, expect, it } from "vitest";
import { isTidemarkError } from "../../base/errors.js";
import { MemoryVfs } from "../../testing/memory-vfs.js";
import {
  bytesOf,
  checkpointOf,
  dir,
  flipBit,
  groupsOf,
  longChain,
  openOn,
  pass,
  pathOf,
  segmentFile,
  textOfBytes,
} from "../../../test/segment/segment-store.js";
import { paddedLength } from "./frame.js";
import { readMark } from "./mark.js";
import { replayLog, type Replayed } from "./replay.js";
import { surveyStore } from "./survey.js";

async function replay(disk: MemoryVfs): Promise<Replayed> {
  const survey = await surveyStore(disk, dir);
  if (survey === undefined) throw new Error("there is no store");
  return replayLog(disk, dir, survey);
}

/** The log's end, or where it is corrupt. */
async function verdict(disk: MemoryVfs): Promise<{ end: number } | { corruptAt: number }> {
  try {
    return { end: (await replay(disk)).last?.end ?? 0 };
  } catch (error) {
    if (isTidemarkError(error, "corrupt") && error.details.file === pathOf(segmentFile(1))) return { corruptAt: error.details.offset };
    throw error;
  }
}

/**
 * A killed store of one segment: header, then groups that make a channel and store four messages. The last group was synced, but nothing that
 * is left says so: W is the end of the one before it.
 */
async function killedStore(): Promise<MemoryVfs> {
  const disk = new MemoryVfs();
  const store = await openOn(disk);
  await store.create("a");
  for (const text of ["one", "two", "three", "four"]) await store.append("a", text);
  const killed = disk.kill();
  killed.removeFile(pathOf("mark"));
  return killed;
}

describe("the end of the log after an unclean stop", () => {
  it("is behind the last whole group", async () => {
    const disk = await killedStore();
    const groups = groupsOf(disk, 1);

    const { last, state } = await replay(disk);

    expect(last).toMatchObject({ number: 1, end: groups.at(-1)?.end, droppedBytes: 0 });
    expect(last?.durable).toEqual({ segment: 1, offset: groups.at(-1)?.start });
    expect(state.channel("a")?.endId).toBe((state.channel("a")?.firstId ?? 0n) + 4n);
  });

  it("torn is told from corrupt at every byte of the last segment: at and behind W it is torn, before W corrupt", async () => {
    const disk = await killedStore();
    const groups = groupsOf(disk, 1);
    const whole = bytesOf(disk, segmentFile(1));
    const durable = groups.at(-1)?.start ?? 0;
    const wrong: string[] = [];
    for (let offset = 96; offset < whole.length; offset++) {
      const bytes = Buffer.from(whole);
      bytes[offset] = (bytes[offset] ?? 0) ^ 0x10;
      disk.setFileBytes(pathOf(segmentFile(1)), bytes);
      const group = groups.find(({ end }) => offset < end);
      const frame = group?.frames.find((one) => offset < one.offset + paddedLength(one.bytes.length));
      const expected = frame !== undefined && frame.offset < durable ? { corruptAt: frame.offset } : { end: group?.start };

      const found = await verdict(disk);

      if (JSON.stringify(found) !== JSON.stringify(expected)) wrong.push(`${offset}: ${JSON.stringify(found)}`);
    }
    expect(wrong).toEqual([]);
  });

  it("cut off at every byte, is the end of the last whole group: what proved more durable is gone with it", async () => {
    const disk = await killedStore();
    const groups = groupsOf(disk, 1);
    const whole = bytesOf(disk, segmentFile(1));
    for (let size = 96; size <= whole.length; size++) {
      disk.setFileBytes(pathOf(segmentFile(1)), whole.subarray(0, size));

      const end = groups.findLast((group) => group.end <= size)?.end;

      expect({ size, ...(await verdict(disk)) }).toEqual({ size, end });
    }
  });

  it("zeroed from a place on, is the end of the last whole group before it", async () => {
    const disk = await killedStore();
    const groups = groupsOf(disk, 1);
    const bytes = bytesOf(disk, segmentFile(1));
    bytes.fill(0, groups[2]?.start);
    disk.setFileBytes(pathOf(segmentFile(1)), bytes);

    expect(await verdict(disk)).toEqual({ end: groups[1]?.end });
  });

  it("is never before a group that a frame further behind, past zeros and bad frames, proves durable", async () => {
    const disk = await killedStore();
    const groups = groupsOf(disk, 1);
    const bytes = bytesOf(disk, segmentFile(1));
    bytes.fill(0, groups[2]?.start, groups.at(-1)?.start);
    disk.setFileBytes(pathOf(segmentFile(1)), bytes);

    expect(await verdict(disk)).toEqual({ corruptAt: groups[2]?.start });
  });

  it("is never before the checkpoint's position", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk, { segmentBytes: 4096 });
    await store.create("a");
    await store.append("a", textOfBytes(3000));
    await store.append("a", textOfBytes(3000));
    await store.trim("a", store.view("a").endId);
    await store.engine.settled();
    await store.append("a", "behind the checkpoint");
    const killed = disk.kill();
    const { position } = checkpointOf(killed);
    expect(position.segment).toBe(2);
    expect(position.offset).toBeGreaterThan(96);
    killed.setFileBytes(pathOf(segmentFile(2)), bytesOf(killed, segmentFile(2)).subarray(0, position.offset - 8));
    killed.removeFile(pathOf("mark"));

    await expect(replay(killed)).rejects.toMatchObject({
      code: "corrupt",
      details: { file: pathOf(segmentFile(2)) },
      message: expect.stringContaining(`the checkpoint was made at ${position.offset}`) as string,
    });
  });

  it("counts the bytes of a write that was never finished", async () => {
    const disk = await killedStore();
    const groups = groupsOf(disk, 1);
    const whole = bytesOf(disk, segmentFile(1));
    disk.setFileBytes(pathOf(segmentFile(1)), Buffer.concat([whole.subarray(0, whole.length - 20), Buffer.alloc(5000)]));

    const { last } = await replay(disk);

    expect(last?.end).toBe(groups.at(-1)?.start);
    expect(last?.droppedBytes).toBeGreaterThan(50);
    expect(last?.droppedBytes).toBeLessThanOrEqual(whole.length - (groups.at(-1)?.start ?? 0) - 20);
  });
});

describe("the mark", () => {
  async function markedStore(): Promise<MemoryVfs> {
    const disk = new MemoryVfs();
    const store = await openOn(disk);
    await store.create("a");
    await store.append("a", "one");
    await store.clock.advance(100);
    await store.append("a", "two");
    await pass(store, 100);
    return disk.kill();
  }

  it("finds damage to the last group, which nothing in the log would", async () => {
    const disk = await markedStore();
    const last = groupsOf(disk, 1).at(-1);
    expect(await readMark(disk, dir, checkpointOf(disk).storeId)).toEqual({ segment: 1, offset: last?.end });
    flipBit(disk, segmentFile(1), last?.start ?? 0);

    expect(await verdict(disk)).toEqual({ corruptAt: last?.start });
    disk.removeFile(pathOf("mark"));
    expect(await verdict(disk)).toEqual({ end: last?.start });
  });

  it("finds that the last segment is gone, which nothing else would when it is newer than the checkpoint", async () => {
    const disk = await longChain(3);
    disk.removeFile(pathOf(segmentFile(3)));

    await expect(replay(disk)).rejects.toMatchObject({
      code: "corrupt",
      details: { file: pathOf("mark") },
      message: expect.stringContaining("segment 3 was durable, but the last one there is 2") as string,
    });
    disk.removeFile(pathOf("mark"));
    expect((await replay(disk)).last?.number).toBe(2);
  });

  it.each([
    ["damaged", (bytes: Buffer) => bytes.fill(0xff, 4, 8)],
    ["cut off", (bytes: Buffer) => bytes.subarray(0, 11)],
    ["empty", () => Buffer.alloc(0)],
  ])("says nothing when it is %s", async (_, change) => {
    const disk = await markedStore();
    disk.setFileBytes(pathOf("mark"), change(bytesOf(disk, "mark")));

    expect(await readMark(disk, dir, checkpointOf(disk).storeId)).toBeUndefined();
    expect(await verdict(disk)).toEqual({ end: groupsOf(disk, 1).at(-1)?.end });
  });

  it("of another store says nothing", async () => {
    const [disk, other] = [await markedStore(), await markedStore()];
    disk.setFileBytes(pathOf("mark"), bytesOf(other, "mark"));

    expect(await readMark(disk, dir, checkpointOf(disk).storeId)).toBeUndefined();
  });
});

describe("a sealed segment on the chain", () => {
  it("is corrupt wherever a bit of it is turned over, torn or not", async () => {
    const whole = bytesOf(await longChain(1), segmentFile(1));
    for (let offset = 100; offset < whole.length; offset += 331) {
      const disk = await longChain(2);
      flipBit(disk, segmentFile(1), offset);

      await expect(replay(disk), `offset ${offset}`).rejects.toMatchObject({ code: "corrupt", details: { file: pathOf(segmentFile(1)) } });
    }
  });

  it("is corrupt when it is cut off", async () => {
    const disk = await longChain(2);
    const whole = bytesOf(disk, segmentFile(1));
    const last = groupsOf(disk, 1).at(-1);
    disk.setFileBytes(pathOf(segmentFile(1)), whole.subarray(0, whole.length - 8));

    await expect(replay(disk)).rejects.toMatchObject({ code: "corrupt", details: { file: pathOf(segmentFile(1)), offset: last?.start } });
  });

  it("may have anything behind its end: nothing there is read", async () => {
    const disk = await longChain(2);
    disk.setFileBytes(pathOf(segmentFile(1)), Buffer.concat([bytesOf(disk, segmentFile(1)), Buffer.alloc(3000, 0x5a)]));

    expect((await replay(disk)).last).toMatchObject({ number: 2, droppedBytes: 0 });
  });
});

describe("a header that tells of an unclean stop", () => {
  it("moves every channel's last id to its ceiling, each time it is replayed", async () => {
    const disk = (await killedStore()).kill();
    const store = await openOn(disk);
    const noRoom = disk.failNext({ op: "open", path: /checkpoint\.tmp$/, code: "ENOSPC" });
    await store.put("makes", "a segment");
    expect(noRoom.fired()).toBe(true);

    const { state } = await replay(disk.kill());

    const channel = state.channel("a");
    expect(channel?.endId).toBeLessThan(channel?.ceiling ?? 0n);
    expect(channel?.lastId).toBe(channel?.ceiling);
  });
});

describe("a clean close", () => {
  async function closed(): Promise<MemoryVfs> {
    const disk = new MemoryVfs();
    const store = await openOn(disk);
    await store.create("a");
    await store.append("a", "one");
    await store.close();
    return disk;
  }

  it("is clean when the checkpoint says so and stands at the end of the last segment", async () => {
    const disk = await closed();
    expect((await replay(disk)).clean).toBe(true);
    await openOn(disk);
    expect((await replay(disk.kill())).clean).toBe(true);
  });

  it("is not clean any more once something is written behind it", async () => {
    const disk = await closed();
    const store = await openOn(disk);
    const noRoom = disk.failNext({ op: "open", path: /checkpoint\.tmp$/, code: "ENOSPC" });
    await store.put("key", "value");

    const { clean, last } = await replay(disk.kill());

    expect(noRoom.fired()).toBe(true);
    expect({ clean, last: last?.number }).toEqual({ clean: false, last: 2 });
  });

  it("finds every damage before its end, the last group's too", async () => {
    const disk = await closed();
    disk.removeFile(pathOf("mark"));
    const whole = bytesOf(disk, segmentFile(1));
    const last = groupsOf(disk, 1).at(-1);

    flipBit(disk, segmentFile(1), (last?.start ?? 0) + 10);
    expect(await verdict(disk)).toEqual({ corruptAt: last?.start });
    disk.setFileBytes(pathOf(segmentFile(1)), whole.subarray(0, 96));
    expect(await verdict(disk)).toEqual({ corruptAt: 96 });
    disk.removeFile(pathOf(segmentFile(1)));
    await expect(replay(disk)).rejects.toMatchObject({ code: "corrupt" });
  });
});
