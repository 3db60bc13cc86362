import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { crc32 } from "../../base/crc32.js";
import { bodyOf, decodeFrame, frameHeaderBytes, paddedLength, peekFrame, plausibleLength, sealFrame, segmentSeed } from "./frame.js";
import type { Frame, FrameHeader } from "./frame.js";

const storeId = 0x1122_3344_5566_7788n;
const seed = segmentSeed(storeId, 7);

const header: FrameHeader = {
  kind: "batch",
  first: true,
  last: false,
  segment: 7,
  previous: 0xcafe,
  durableThrough: { segment: 6, offset: 4096 },
  channel: 3,
  baseId: 2n ** 60n + 5n,
  count: 2,
  timeMs: 1_700_000_000_123,
  term: 9n,
};

/** A frame with this body, padded, at `offset` of segment 7. */
function frameWith(body: Uint8Array, offset: number, over: Partial<FrameHeader> = {}): Buffer {
  const bytes = Buffer.alloc(paddedLength(frameHeaderBytes + body.length));
  const frame = bytes.subarray(0, frameHeaderBytes + body.length);
  frame.set(body, frameHeaderBytes);
  sealFrame(frame, { ...header, ...over }, offset, seed);
  return bytes;
}

function decoded(bytes: Buffer, offset: number): Frame | undefined {
  return decodeFrame(bytes, 0, offset, 7, seed);
}

describe("a frame", () => {
  it("comes back as it was sealed, whatever is in its header and body", () => {
    const anyHeader = fc.record({
      kind: fc.constantFrom("header" as const, "batch" as const, "control" as const),
      first: fc.boolean(),
      last: fc.boolean(),
      previous: fc.nat(0xffff_ffff),
      durableThrough: fc.record({ segment: fc.nat(0xffff_ffff), offset: fc.nat(0xffff_ffff) }),
      channel: fc.nat(0xffff_ffff),
      baseId: fc.bigInt(0n, 2n ** 63n - 1n),
      count: fc.nat(0xffff_ffff),
      timeMs: fc.double({ noNaN: true, noDefaultInfinity: true }),
      term: fc.bigInt(0n, 2n ** 64n - 1n),
    });
    fc.assert(
      fc.property(anyHeader, fc.uint8Array({ maxLength: 100 }), fc.nat(1000), (fields, body, at) => {
        const frame = decoded(frameWith(body, at * 8, fields), at * 8);

        expect(frame).toMatchObject({ ...fields, segment: 7, offset: at * 8 });
        expect(frame === undefined ? undefined : Buffer.from(bodyOf(frame))).toEqual(Buffer.from(body));
      }),
    );
  });

  it("has its fields where docs/log-format.md draws them", () => {
    const bytes = frameWith(Buffer.from("body"), 256, { first: true, last: true });

    expect(bytes.readUInt32LE(0)).toBe(crc32(bytes.subarray(4, 68), (seed ^ 256) >>> 0));
    expect(bytes.readUInt32LE(4)).toBe(68);
    expect([...bytes.subarray(8, 12)]).toEqual([1, 2, 3, 0]);
    expect(bytes.readUInt32LE(12)).toBe(7);
    expect(bytes.readUInt32LE(16)).toBe(0xcafe);
    expect([bytes.readUInt32LE(20), bytes.readUInt32LE(24)]).toEqual([6, 4096]);
    expect(bytes.readUInt32LE(28)).toBe(3);
    expect(bytes.readBigInt64LE(32)).toBe(2n ** 60n + 5n);
    expect([bytes.readUInt32LE(40), bytes.readUInt32LE(44)]).toEqual([2, 0]);
    expect(bytes.readDoubleLE(48)).toBe(1_700_000_000_123);
    expect(bytes.readBigUInt64LE(56)).toBe(9n);
    expect(bytes.toString("latin1", 64)).toBe("body\0\0\0\0");
  });

  it("is valid in its own store, segment and offset only", () => {
    const bytes = frameWith(Buffer.from("where am I?"), 800);

    expect(decodeFrame(bytes, 0, 800, 7, seed)).toBeDefined();
    expect(decodeFrame(bytes, 0, 800, 7, segmentSeed(storeId + 1n, 7))).toBeUndefined();
    expect(decodeFrame(bytes, 0, 808, 7, seed)).toBeUndefined();
    bytes.writeUInt32LE(8, 12);
    expect(decodeFrame(bytes, 0, 800, 8, segmentSeed(storeId, 8))).toBeUndefined();
  });

  it("is bad when any single bit of it or of its padding is turned over", () => {
    const bytes = frameWith(Buffer.from("a body of some bytes"), 128);
    expect(bytes.length).toBe(frameHeaderBytes + 24);

    const passed: string[] = [];
    for (let at = 0; at < bytes.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
        if (decoded(bytes, 128) !== undefined) passed.push(`${at}.${bit}`);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
      }
    }

    expect(passed).toEqual([]);
    expect(decoded(bytes, 128)).toBeDefined();
  });

  it("is bad wherever its bytes or its padding are cut off", () => {
    const bytes = frameWith(Buffer.from("padded by three bytes"), 0);
    expect(bytes.length - frameHeaderBytes).toBe(24);

    for (let size = 0; size < bytes.length; size++) expect(decoded(bytes.subarray(0, size), 0), `${size} bytes`).toBeUndefined();
  });
});

describe("a length before its crc is checked", () => {
  it("is none in zeros, in noise of another segment, of another version or kind, below a header's size or behind the end", () => {
    const bytes = frameWith(Buffer.from("body"), 0);
    const changed = (at: number, value: number): Buffer => {
      const copy = Buffer.from(bytes);
      copy[at] = value;
      return copy;
    };

    expect(plausibleLength(bytes, 0, 7)).toBe(68);
    expect(plausibleLength(Buffer.alloc(200), 0, 7)).toBeUndefined();
    expect(plausibleLength(bytes, 0, 8)).toBeUndefined();
    expect(plausibleLength(changed(8, 2), 0, 7)).toBeUndefined();
    expect(plausibleLength(changed(9, 0), 0, 7)).toBeUndefined();
    expect(plausibleLength(changed(9, 4), 0, 7)).toBeUndefined();
    expect(plausibleLength(changed(4, 63), 0, 7)).toBeUndefined();
    expect(plausibleLength(changed(4, 73), 0, 7)).toBeUndefined();
    expect(plausibleLength(changed(6, 1), 0, 7)).toBeUndefined();
  });

  it("is enough to step over the frames of other channels", () => {
    const row = Buffer.concat([
      frameWith(Buffer.alloc(13), 0, { channel: 1 }),
      frameWith(Buffer.alloc(0), 80, { channel: 2 }),
      frameWith(Buffer.alloc(8), 144, { channel: 1 }),
    ]);

    const steps: number[][] = [];
    for (let at = 0, peeked = peekFrame(row, at, 7); peeked !== undefined; peeked = peekFrame(row, at, 7)) {
      steps.push([at, peeked.channel]);
      at += paddedLength(peeked.length);
    }

    expect(steps).toEqual([
      [0, 1],
      [80, 2],
      [144, 1],
    ]);
  });
});

describe("the crc's seed", () => {
  it("is another one for every store and every segment", () => {
    const seeds = new Set<number>();
    for (let segment = 0; segment < 50; segment++) for (const store of [1n, 2n, storeId]) seeds.add(segmentSeed(store, segment));

    expect(seeds.size).toBe(150);
  });

  it("is the crc of the store's id and the segment's number", () => {
    const place = Buffer.from("8877665544332211" + "07000000", "hex");

    expect(segmentSeed(storeId, 7)).toBe(crc32(place));
  });
});
