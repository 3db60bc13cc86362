import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { crc32 } from "../../base/crc32.js";
import { SegmentIndex } from "./segment-index.js";
import { decodeIndex, encodeIndex } from "./stored-index.js";

/** Enters a frame of `bytes`, padding included. */
function add(index: SegmentIndex, channel: number, baseId: bigint, count: number, offset: number, bytes = 256): void {
  index.add({ channel, baseId, count, timeMs: Number(baseId), segment: 1, offset, length: bytes - 3 }, offset + bytes);
}

describe("a segment's index", () => {
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
        const bytes = Buffer.from(encodeIndex(index, { end, seed }));

        const back = decodeIndex(bytes, { end, seed });

        for (let channel = 0; channel <= 5; channel++)
          for (const id of [0n, 150n, 1_205n]) expect(back?.extentsFrom(channel, id)).toEqual(index.extentsFrom(channel, id));
        expect([...(back?.channels() ?? [])]).toEqual([...index.channels()]);
        expect(decodeIndex(bytes, { end: end + 8, seed })).toBeUndefined();
        expect(decodeIndex(bytes, { end, seed: (seed ^ 1) >>> 0 })).toBeUndefined();
      }),
    );
  });

  it("is ignored when any bit of its file is turned over, or any of it is cut off", () => {
    const index = new SegmentIndex();
    add(index, 1, 10n, 2, 96);
    add(index, 2, 10n, 2, 352);
    const segment = { end: 608, seed: 7 };
    const bytes = Buffer.from(encodeIndex(index, segment));

    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const damaged = Buffer.from(bytes);
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(decodeIndex(damaged, segment), `bit ${bit}`).toBeUndefined();
    }
    for (let size = 0; size < bytes.length; size++) expect(decodeIndex(bytes.subarray(0, size), segment)).toBeUndefined();
    expect(decodeIndex(Buffer.alloc(100), { end: 0, seed: 7 })).toBeUndefined();
  });

  it("of another format says nothing", () => {
    const index = new SegmentIndex();
    add(index, 1, 1n, 1, 96);
    const segment = { end: 4096, seed: 7 };
    const bytes = Buffer.from(encodeIndex(index, segment));
    expect(decodeIndex(bytes, segment)).toBeDefined();

    bytes.writeUInt32LE(bytes.readUInt32LE(4) + 1, 4);
    bytes.writeUInt32LE(crc32(bytes.subarray(4), segment.seed), 0);

    expect(decodeIndex(bytes, segment)).toBeUndefined();
  });
});
