import { describe, expect, it } from "vitest";
import { packMessage } from "./batch-body.js";
import { segmentSeed } from "./frame.js";
import { Group } from "./group.js";
import { verifySegment, type BadPlace } from "./segment-verify.js";

const segment = 3;
const storeId = 8n;
const seed = segmentSeed(storeId, segment);

/** So many groups of two frames, one behind the other. */
function groups(count: number): { buffer: Buffer; starts: number[] } {
  const parts: Buffer[] = [];
  const starts: number[] = [];
  for (let offset = 0; parts.length < count;) {
    const group = new Group();
    for (const channel of [1, 2]) group.add(channel, BigInt(parts.length), [packMessage({ payload: Buffer.alloc(50, parts.length) })]);
    const place = { segment, offset, seed, durableThrough: { segment: 0, offset: 0 }, term: 1n, timeMs: 1 };
    const { bytes } = group.encode(place, Buffer.alloc);
    starts.push(offset);
    parts.push(bytes);
    offset += bytes.length;
  }
  return { buffer: Buffer.concat(parts), starts };
}

function verified(buffer: Buffer, end: number | undefined): { bad: BadPlace[]; frames: number } {
  let frames = 0;
  const bad = verifySegment({ file: "s", buffer, segment, storeId }, { end, onFrame: () => frames++ });
  return { bad, frames };
}

function flip(buffer: Buffer, offset: number): Buffer {
  const copy = Buffer.from(buffer);
  copy[offset] = (copy[offset] ?? 0) ^ 4;
  return copy;
}

describe("verifying a segment", () => {
  const { buffer, starts } = groups(6);
  const end = buffer.length;

  it("finds nothing in a sound one, and shows every frame", () => {
    expect(verified(buffer, end)).toEqual({ bad: [], frames: 12 });
    expect(verified(buffer, undefined)).toEqual({ bad: [], frames: 12 });
  });

  it("finds a bit turned over anywhere, and names the frame", () => {
    for (let offset = 0; offset < end; offset += 3) {
      const { bad, frames } = verified(flip(buffer, offset), end);

      expect(bad.length, `offset ${offset}`).toBe(1);
      expect(bad[0]?.offset).toBeLessThanOrEqual(offset);
      expect(offset - (bad[0]?.offset ?? 0)).toBeLessThan(end / 12);
      expect(frames).toBe(10);
    }
  });

  it("goes on behind a bad place, to find all of them", () => {
    const damaged = flip(flip(flip(buffer, (starts[1] ?? 0) + 5), (starts[3] ?? 0) + 20), (starts[5] ?? 0) + 7);

    expect(verified(damaged, end).bad.map(({ offset }) => offset)).toEqual([starts[1], starts[3], starts[5]]);
  });

  it("finds zeros and what is cut off before the end", () => {
    const zeroed = Buffer.from(buffer).fill(0, starts[2], starts[4]);
    expect(verified(zeroed, end).bad).toEqual([
      { file: "s", offset: starts[2], what: `no whole group stands between here and offset ${starts[4]}` },
    ]);

    const cut = buffer.subarray(0, (starts[4] ?? 0) + 30);
    expect(verified(cut, end).bad).toEqual([
      { file: "s", offset: starts[4], what: `the file ends at offset ${cut.length}, the segment at ${end}` },
    ]);
    expect(verified(Buffer.alloc(0), end).bad).toHaveLength(1);
  });

  it("where nobody knows the end takes a bad tail for a write that was never finished, and no other bad place", () => {
    expect(verified(flip(buffer, (starts[5] ?? 0) + 7), undefined)).toEqual({ bad: [], frames: 10 });
    expect(verified(Buffer.concat([buffer, Buffer.alloc(500, 9)]), undefined)).toEqual({ bad: [], frames: 12 });
    expect(verified(flip(buffer, (starts[4] ?? 0) + 7), undefined).bad.map(({ offset }) => offset)).toEqual([starts[4]]);
  });

  it("reads nothing behind the end", () => {
    expect(verified(Buffer.concat([buffer, Buffer.alloc(500, 9)]), end)).toEqual({ bad: [], frames: 12 });
    expect(verified(buffer, starts[3])).toEqual({ bad: [], frames: 6 });
  });
});
