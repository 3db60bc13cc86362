import { describe, expect, it } from "vitest";
import { frameHeaderBytes } from "./frame.js";
import { origin } from "./position.js";
import { claimedHeader, decodeSegmentHeader, encodeSegmentHeader, segmentHeaderBytes, type SegmentHeader } from "./segment-header.js";

const storeId = 0x0102_0304_0506_0708n;
const header: SegmentHeader = { storeId, previous: { segment: 4, offset: 2048 }, limit: 4_194_304, unclean: true, keeps: "meta" };
const durable = { segment: 4, offset: 2048 };

function encoded(over: Partial<SegmentHeader> = {}, segment = 5): Buffer {
  return encodeSegmentHeader(segment, { ...header, ...over }, durable, 6n, 1234);
}

describe("a segment's header", () => {
  it("says which segment comes before and where that one ends, and whether the stop before was unclean", () => {
    expect(decodeSegmentHeader(encoded(), 5, storeId)).toMatchObject({ ...header, segment: 5, term: 6n });
    expect(decodeSegmentHeader(encoded({ unclean: false }), 5, storeId)).toMatchObject({ unclean: false });
    expect(decodeSegmentHeader(encoded({ keeps: "queue" }), 5, storeId)).toMatchObject({ keeps: "queue" });
    expect(decodeSegmentHeader(encoded({ keeps: undefined }), 5, storeId)).toMatchObject({ keeps: undefined });
  });

  it("is a group of one frame at offset 0, and says what was durable before it", () => {
    const found = decodeSegmentHeader(encoded(), 5, storeId);

    expect(found?.frame).toMatchObject({
      kind: "header",
      first: true,
      last: true,
      offset: 0,
      count: 1,
      durableThrough: durable,
      timeMs: 1234,
    });
    expect(encoded().length).toBe(segmentHeaderBytes);
  });

  it("of the first segment has nothing before it", () => {
    expect(decodeSegmentHeader(encoded({ previous: origin }, 1), 1, storeId)?.previous).toEqual(origin);
  });

  it("has its fields where docs/log-format.md draws them", () => {
    const body = encoded().subarray(frameHeaderBytes);

    expect(body.toString("latin1", 0, 8)).toBe("TIDEMARK");
    expect(body.readBigUInt64LE(8)).toBe(storeId);
    expect([body.readUInt32LE(16), body.readUInt32LE(20)]).toEqual([4, 2048]);
    expect(body.readUInt32LE(24)).toBe(4_194_304);
    expect([...body.subarray(28)]).toEqual([1, 2, 0, 0]);
  });

  it("is none for another number or another store, in zeros, or cut off", () => {
    expect(decodeSegmentHeader(encoded(), 6, storeId)).toBeUndefined();
    expect(decodeSegmentHeader(encoded(), 5, storeId + 1n)).toBeUndefined();
    expect(decodeSegmentHeader(Buffer.alloc(segmentHeaderBytes), 5, storeId)).toBeUndefined();
    expect(decodeSegmentHeader(encoded().subarray(0, segmentHeaderBytes - 1), 5, storeId)).toBeUndefined();
  });

  it("can be asked whose it is: a file of another store, or of another number, is told from a damaged one", () => {
    expect(claimedHeader(encoded({ storeId: 99n }, 12))).toMatchObject({ storeId: 99n, segment: 12 });
    const damaged = encoded();
    damaged[frameHeaderBytes + 20] = 1;
    expect(claimedHeader(damaged)).toBeUndefined();
    expect(claimedHeader(Buffer.alloc(0))).toBeUndefined();
  });
});
