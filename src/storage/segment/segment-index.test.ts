import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { crc32 } from "../../base/crc32.js";
import { SegmentIndex } from "./segment-index.js";

/** Enters a frame of `bytes`, padding included. */
function add(index: SegmentIndex, channel: number, baseId: bigint, count: number, offset: number, bytes = 256): void {
  index.add({ channel, baseId, count, timeMs: Number(baseId), segment: 1, offset, length: bytes - 3 }, offset + bytes);
}

describe("a segment's index", () => {
  it("has one extent for frames of a channel that are near to each other, whatever stands between", () => {
    const index = new SegmentIndex();
    add(index, 1, 10n, 2, 96);
    add(index, 2, 1n, 1, 352);
    add(index, 1, 12n, 3, 608);

    expect(index.extentsFrom(1, 0n)).toEqual([{ firstId: 10n, lastId: 14n, count: 5, bytes: 506, offset: 96, end: 864, lastTimeMs: 12 }]);
    expect(index.size).toBe(2);
  });

  it("begins another extent behind a gap of 32 KiB, and before one grows beyond 256 KiB", () => {
    const index = new SegmentIndex();
    add(index, 1, 1n, 1, 0);
    add(index, 1, 2n, 1, 256 + 32 * 1024 - 8);
    add(index, 1, 3n, 1, 512 + 64 * 1024 - 8);
    for (let at = 0; at < 40; at++) add(index, 1, 4n + BigInt(at), 1, 100_000 + at * 10_000, 10_000);

    const extents = index.extentsFrom(1, 0n);

    expect(extents.slice(0, 2).map(({ firstId, lastId }) => [firstId, lastId])).toEqual([
      [1n, 2n],
      [3n, 3n],
    ]);
    expect(Math.max(...extents.map(({ offset, end }) => end - offset))).toBeLessThanOrEqual(256 * 1024);
    expect(extents.reduce((sum, { count }) => sum + count, 0)).toBe(43);
  });

  it("finds the extents from any id on, gaps included", () => {
    const index = new SegmentIndex();
    for (const [id, offset] of [
      [10n, 0],
      [20n, 100_000],
      [30n, 200_000],
    ] as const) {
      add(index, 1, id, 5, offset);
    }
    const firsts = (id: bigint): bigint[] => index.extentsFrom(1, id).map(({ firstId }) => firstId);

    expect(firsts(0n)).toEqual([10n, 20n, 30n]);
    expect(firsts(14n)).toEqual([10n, 20n, 30n]);
    expect(firsts(15n)).toEqual([20n, 30n]);
    expect(firsts(34n)).toEqual([30n]);
    expect(firsts(35n)).toEqual([]);
    expect(index.extentsFrom(2, 0n)).toEqual([]);
  });

  it("comes back from its file as it was, for the segment and the end it was written for and for no other", () => {
    const frames = fc.array(fc.record({ channel: fc.nat(5), count: fc.integer({ min: 1, max: 9 }), gap: fc.nat(5000) }), { maxLength: 60 });
    fc.assert(
      fc.property(frames, fc.nat(0xffff_ffff), fc.nat(0xffff_ffff), (row, end, seed) => {
        const index = new SegmentIndex();
        let at = 96;
        for (const [id, { channel, count, gap }] of row.entries()) {
          add(index, channel, BigInt(id) * 100n, count, at);
          at += 256 + gap * 8;
        }
        const bytes = Buffer.from(index.encode({ end, seed }));

        const back = SegmentIndex.decode(bytes, { end, seed });

        for (let channel = 0; channel <= 5; channel++) expect(back?.extentsFrom(channel, 0n)).toEqual(index.extentsFrom(channel, 0n));
        expect(back?.size).toBe(index.size);
        expect(SegmentIndex.decode(bytes, { end: end + 8, seed })).toBeUndefined();
        expect(SegmentIndex.decode(bytes, { end, seed: (seed ^ 1) >>> 0 })).toBeUndefined();
      }),
    );
  });

  it("is ignored when any bit of its file is turned over, or any of it is cut off", () => {
    const index = new SegmentIndex();
    add(index, 1, 10n, 2, 96);
    add(index, 2, 10n, 2, 352);
    const segment = { end: 608, seed: 7 };
    const bytes = Buffer.from(index.encode(segment));

    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const damaged = Buffer.from(bytes);
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(SegmentIndex.decode(damaged, segment), `bit ${bit}`).toBeUndefined();
    }
    for (let size = 0; size < bytes.length; size++) expect(SegmentIndex.decode(bytes.subarray(0, size), segment)).toBeUndefined();
    expect(SegmentIndex.decode(Buffer.alloc(100), { end: 0, seed: 7 })).toBeUndefined();
  });

  it("of another format says nothing", () => {
    const index = new SegmentIndex();
    add(index, 1, 1n, 1, 96);
    const segment = { end: 4096, seed: 7 };
    const bytes = Buffer.from(index.encode(segment));
    expect(SegmentIndex.decode(bytes, segment)).toBeDefined();

    bytes.writeUInt32LE(bytes.readUInt32LE(4) + 1, 4);
    bytes.writeUInt32LE(crc32(bytes.subarray(4), segment.seed), 0);

    expect(SegmentIndex.decode(bytes, segment)).toBeUndefined();
  });
});
