import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { packMessage } from "./batch-body.js";
import { segmentSeed } from "./frame.js";
import { Group } from "./group.js";
import { framesAnywhere, GroupScan } from "./group-scan.js";

const segment = 2;
const seed = segmentSeed(5n, segment);

/** A group at `offset` with one batch for each channel. */
function groupAt(offset: number, channels: readonly number[], text = "text"): Buffer {
  const group = new Group();
  for (const channel of channels) group.add(channel, 1n, [packMessage({ payload: Buffer.from(text) })]);
  const place = { segment, offset, seed, durableThrough: { segment: 1, offset: 8 }, term: 1n, timeMs: 1 };
  return Buffer.from(group.encode(place, Buffer.alloc).bytes);
}

function scanOf(buffer: Buffer): GroupScan {
  return new GroupScan({ buffer, base: 0, segment, seed });
}

/** How many frames each whole group has, and where the scan ended. */
function scanned(buffer: Buffer): { groups: number[]; at: number; badAt: number } {
  const scan = scanOf(buffer);
  const groups: number[] = [];
  for (let group = scan.next(); group !== undefined; group = scan.next()) groups.push(group.frames.length);
  return { groups, at: scan.at, badAt: scan.badAt };
}

const first = groupAt(0, [1, 2]);
const second = groupAt(first.length, [1, 2, 3]);
const frameBytes = second.length / 3;

describe("a group", () => {
  it("counts only whole: cut at any byte it is not there, and those before it are", () => {
    for (let size = first.length; size < first.length + second.length; size++) {
      const { groups, at } = scanned(Buffer.concat([first, second]).subarray(0, size));

      expect({ size, groups, at }).toEqual({ size, groups: [2], at: first.length });
    }
    expect(scanned(Buffer.concat([first, second]))).toEqual({
      groups: [2, 3],
      at: first.length + second.length,
      badAt: first.length + second.length,
    });
  });

  it("does not count when any bit of any of its frames is turned over", () => {
    fc.assert(
      fc.property(fc.nat(2), fc.nat(frameBytes - 5), fc.nat(7), (frame, at, bit) => {
        const bytes = Buffer.concat([first, second]);
        const place = first.length + frame * frameBytes + at;
        bytes[place] = (bytes[place] ?? 0) ^ (1 << bit);

        expect(scanned(bytes)).toEqual({ groups: [2], at: first.length, badAt: first.length + frame * frameBytes });
      }),
    );
  });

  it("does not count where it begins in its middle", () => {
    expect(scanned(Buffer.concat([first, groupAt(first.length - frameBytes, [1, 2]).subarray(frameBytes)])).groups).toEqual([2]);
    expect(new GroupScan({ buffer: first, base: 0, segment, seed }, frameBytes).next()).toBeUndefined();
  });

  it("does not go on with frames that a group which was cut away left at the same offsets", () => {
    const refused = groupAt(first.length, [1, 2, 3], "old!");
    const next = groupAt(first.length, [1, 2, 3], "new!");

    const mixed = Buffer.concat([first, next.subarray(0, frameBytes), refused.subarray(frameBytes)]);

    // Each frame is valid by itself; only the chain of checksums tells.
    expect([...framesAnywhere({ buffer: mixed, base: 0, segment, seed }, 0)]).toHaveLength(5);
    expect(scanned(mixed)).toEqual({ groups: [2], at: first.length, badAt: first.length + frameBytes });
  });

  it("ends at the padding of its last frame", () => {
    const scan = scanOf(first);

    expect(scan.next()).toMatchObject({ start: 0, end: first.length });
    expect(scan.at).toBe(first.length);
  });
});

describe("looking for witnesses", () => {
  it("finds every valid frame behind zeros, noise and bad frames", () => {
    const hole = Buffer.alloc(frameBytes + 40);
    hole.write("noise", 16);
    const third = groupAt(first.length + hole.length, [7, 8]);
    const bytes = Buffer.concat([first, hole, third]);
    bytes[3] = (bytes[3] ?? 0) ^ 1;

    const offsets = [...framesAnywhere({ buffer: bytes, base: 0, segment, seed }, 0)].map(({ channel }) => channel);

    expect(offsets).toEqual([2, 7, 8]);
  });

  it("begins at the next multiple of eight, in a buffer that begins later in the segment too", () => {
    const late = groupAt(4096, [1, 2]);

    const found = [...framesAnywhere({ buffer: late, base: 4096, segment, seed }, 4097)].map(({ offset }) => offset);

    expect(found).toEqual([4096 + frameBytes]);
  });
});
