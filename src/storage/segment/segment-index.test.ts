import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
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
    expect(index.extentsFrom(2, 0n)).toHaveLength(1);
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

  it("has every extent as it was entered, copies too, from any id on, and takes little for those of channels that take turns", () => {
    const frame = fc.record({
      channel: fc.nat(2),
      count: fc.integer({ min: 1, max: 300 }),
      gap: fc.oneof(fc.constant(0n), fc.bigInt(0n, 2n ** 50n)),
      hole: fc.oneof(fc.constant(0), fc.nat(500_000)),
      length: fc.integer({ min: 1, max: 300_000 }),
      laterMs: fc.integer({ min: -1_000_000, max: 1_000_000 }),
    });
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 40 }), fc.bigInt(0n, 2n ** 56n), (frames, id) => {
        const index = new SegmentIndex();
        const entered = new Map<number, { firstId: bigint; lastId: bigint; count: number; bytes: number; timeMs: number }[]>();
        let [at, next, timeMs] = [96, 1n, 1_700_000_000_000];
        for (const { channel, count, gap, hole, length, laterMs } of frames) {
          const end = at + Math.ceil(length / 8) * 8;
          next += gap;
          timeMs += laterMs;
          index.add({ channel, baseId: next, count, timeMs, segment: 1, offset: at, length }, end);
          const lastId = next + BigInt(count) - 1n;
          entered.set(channel, [...(entered.get(channel) ?? []), { firstId: next, lastId, count, bytes: length, timeMs }]);
          next = lastId + 1n;
          at = end + hole * 8;
        }

        for (const [channel, all] of entered) {
          const extents = index.extentsFrom(channel, 0n);
          const within = extents.map(({ firstId, lastId }) => all.filter((one) => one.firstId >= firstId && one.lastId <= lastId));
          expect(within.flat()).toEqual(all);
          for (const [n, { count, bytes, lastTimeMs }] of extents.entries()) {
            const those = within[n] ?? [];
            expect(count).toBe(those.reduce((sum, one) => sum + one.count, 0));
            expect(bytes).toBe(those.reduce((sum, one) => sum + one.bytes, 0));
            expect(lastTimeMs).toBe(those.at(-1)?.timeMs);
          }
          expect(index.extentsFrom(channel, id)).toEqual(extents.filter(({ lastId }) => lastId >= id));
        }
      }),
    );
  });

  it("takes about ten bytes for each frame of channels that take turns", () => {
    const index = new SegmentIndex();
    const [channels, rounds] = [500, 100];
    for (let n = 0; n < channels * rounds; n++) add(index, n % channels, BigInt(Math.floor(n / channels)), 1, 96 + n * 96, 96);
    const channelsAlone = new SegmentIndex();
    for (let n = 0; n < channels; n++) add(channelsAlone, n, 0n, 1, 96 + n * 96, 96);

    const more = index.memoryBytes - channelsAlone.memoryBytes;

    expect(index.extentsFrom(7, 0n)).toHaveLength(rounds);
    expect(more / (channels * rounds)).toBeLessThan(20);
  });

  it("has copies in their place by id, whatever order they come in, in extents of their own", () => {
    const index = new SegmentIndex();
    const copy = (baseId: bigint, offset: number): void =>
      index.add({ channel: 1, baseId, count: 10, timeMs: 1, segment: 1, offset, length: 250, rest: 0 }, offset + 256);
    add(index, 1, 100n, 1, 96);
    copy(40n, 352);
    copy(10n, 608);
    copy(20n, 864);
    copy(60n, 1120);
    add(index, 1, 101n, 1, 1376);

    const firsts = (id: bigint): [bigint, bigint][] => index.extentsFrom(1, id).map(({ firstId, lastId }) => [firstId, lastId]);

    expect(firsts(0n)).toEqual([
      [10n, 29n],
      [40n, 49n],
      [60n, 69n],
      [100n, 101n],
    ]);
    expect(firsts(50n)).toEqual(firsts(0n).slice(2));
    expect(firsts(70n)).toEqual(firsts(0n).slice(3));
  });
});
