import { describe, expect, it } from "vitest";
import { BatchCursor, packMessage, type PackedMessage } from "./batch-body.js";
import { bodyOf, frameHeaderBytes, segmentSeed, type Frame } from "./frame.js";
import { decodeControlRecords } from "./control-record.js";
import { Group } from "./group.js";
import { GroupScan } from "./group-scan.js";
import { PropertiesReader } from "./properties-reader.js";

const place = { segment: 3, offset: 96, seed: segmentSeed(9n, 3), durableThrough: { segment: 2, offset: 640 }, term: 4n, timeMs: 1234 };

function packed(...texts: string[]): PackedMessage[] {
  return texts.map((text) => packMessage({ payload: Buffer.from(text) }));
}

/** The group as a reader of its bytes finds it. */
function framesOf(group: Group): readonly Frame[] {
  const { bytes } = group.encode(place, Buffer.alloc);
  const found = new GroupScan({ buffer: bytes, base: place.offset, segment: place.segment, seed: place.seed }).next();
  expect(found?.end).toBe(place.offset + bytes.length);
  return found?.frames ?? [];
}

function textsOf(frame: Frame): string[] {
  const cursor = new BatchCursor(bodyOf(frame), frame.baseId, frame.count, frame.timeMs);
  const texts = new PropertiesReader();
  return Array.from({ length: frame.count }, () => Buffer.from(cursor.next(texts).payload).toString());
}

describe("a group", () => {
  it("has the control records of all its changes in one frame, before all batches", () => {
    const group = new Group();
    group.add(1, 10n, packed("a"));
    group.records.push({ type: "trim", channel: 1, beginId: 5n }, { type: "ceiling", channel: 1, ceiling: 99n });
    group.add(2, 20n, packed("b"));

    const [control, ...batches] = framesOf(group);

    expect(control).toMatchObject({ kind: "control", count: 2, channel: 0, first: true, last: false });
    expect(control === undefined ? [] : decodeControlRecords(bodyOf(control), 2)).toEqual(group.records);
    expect(batches.map(({ kind, channel, baseId }) => ({ kind, channel, baseId }))).toEqual([
      { kind: "batch", channel: 1, baseId: 10n },
      { kind: "batch", channel: 2, baseId: 20n },
    ]);
  });

  it("chains its frames by their checksums, and marks the first and the last", () => {
    const group = new Group();
    for (const channel of [1, 2, 3]) group.add(channel, 1n, packed("x"));

    const frames = framesOf(group);

    expect(frames.map(({ first, last }) => [first, last])).toEqual([
      [true, false],
      [false, false],
      [false, true],
    ]);
    expect(frames.map(({ previous }) => previous)).toEqual([0, frames[0]?.crc, frames[1]?.crc]);
  });

  it("says in every frame where it stands, how far the log was durable, and when and in which term it was written", () => {
    const group = new Group();
    group.addRecord({ type: "delete", revision: 1n, key: "k" });
    group.add(1, 1n, packed("x"));

    const { segment, durableThrough, term, timeMs } = place;
    for (const frame of framesOf(group)) expect(frame).toMatchObject({ segment, durableThrough, term, timeMs });
  });

  it("puts appends to one channel into one frame while their ids go on", () => {
    const group = new Group();
    group.add(1, 10n, packed("a", "b"));
    group.add(2, 1n, packed("between"));
    group.add(1, 12n, packed("c"));
    group.add(1, 20n, packed("d"));
    group.add(1, 21n, packed("e"));

    const frames = framesOf(group);

    expect(frames.map((frame) => [frame.channel, frame.baseId, textsOf(frame)])).toEqual([
      [1, 10n, ["a", "b", "c"]],
      [2, 1n, ["between"]],
      [1, 20n, ["d", "e"]],
    ]);
  });

  it("closes a frame at 128 KiB, and gives a larger message a frame of its own", () => {
    const group = new Group();
    const large = "l".repeat(200 * 1024);
    const half = "h".repeat(70 * 1024);
    group.add(1, 1n, packed(half, half, large, "s", "t"));

    const frames = framesOf(group);

    expect(frames.map(({ baseId, count }) => [baseId, count])).toEqual([
      [1n, 1],
      [2n, 1],
      [3n, 1],
      [4n, 2],
    ]);
  });

  it("tells where its batches are, without padding", () => {
    const group = new Group();
    group.addRecord({ type: "trim", channel: 2, beginId: 1n });
    group.add(2, 7n, packed("four"));

    const { batches, bytes } = group.encode(place, Buffer.alloc);
    const batch = framesOf(group).at(-1);

    const { segment, timeMs } = place;
    const length = frameHeaderBytes + 6;
    expect(batches).toMatchObject([{ channel: 2, baseId: 7n, count: 1, timeMs, segment, offset: batch?.offset, length }]);
    expect(bytes.length % 8).toBe(0);
  });

  it("leaves nothing of the buffer it is laid into in its padding", () => {
    const group = new Group();
    group.add(1, 1n, packed("odd"));

    const { bytes } = group.encode(place, (size) => Buffer.alloc(size, 0xee));

    expect([...bytes.subarray(frameHeaderBytes + 5)]).toEqual([0, 0, 0]);
  });

  it("says about how large it will be before it is laid out", () => {
    const group = new Group();
    expect(group.isEmpty).toBe(true);
    group.add(1, 1n, packed("x".repeat(1000), "y".repeat(1000)));
    group.add(2, 1n, packed("z".repeat(500)));

    expect(group.isEmpty).toBe(false);
    expect(Math.abs(group.aboutBytes - group.encode(place, Buffer.alloc).bytes.length)).toBeLessThan(16);
  });
});
