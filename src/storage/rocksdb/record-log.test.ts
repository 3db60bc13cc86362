import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { crc32c } from "../../base/crc32c.js";
import { blockBytes, LogEnd } from "./record-log.js";

/** A log as RocksDB writes it, and where each record ends. */
function written(records: readonly Uint8Array[], recycled: boolean): { readonly log: Buffer; readonly ends: readonly number[] } {
  const parts: Buffer[] = [];
  const ends: number[] = [];
  let at = 0;
  const add = (bytes: Buffer): void => {
    parts.push(bytes);
    at += bytes.length;
  };
  for (const record of records) {
    let rest = record;
    for (let begins = true; begins || rest.length > 0; begins = false) {
      const head = recycled ? 11 : 7;
      if (blockBytes - (at % blockBytes) < head) add(Buffer.alloc(blockBytes - (at % blockBytes)));
      const taken = rest.subarray(0, blockBytes - (at % blockBytes) - head);
      rest = rest.subarray(taken.length);
      const type = (begins ? (rest.length === 0 ? 1 : 2) : rest.length === 0 ? 4 : 3) + (recycled ? 4 : 0);
      const body = Buffer.concat([Buffer.of(type), recycled ? Buffer.of(9, 0, 0, 0) : Buffer.of(), taken]);
      const crc = crc32c(body);
      const front = Buffer.alloc(6);
      front.writeUInt32LE((((crc >>> 15) | (crc << 17)) + 0xa282_ead8) >>> 0);
      front.writeUInt16LE(taken.length, 4);
      add(Buffer.concat([front, body]));
    }
    ends.push(at);
  }
  return { log: Buffer.concat(parts), ends };
}

function endOf(log: Buffer): LogEnd {
  const end = new LogEnd();
  for (let at = 0; at < log.length; at += blockBytes) end.take(log.subarray(at, at + blockBytes));
  return end;
}

const records = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.uint8Array({ minLength: 12, maxLength: 200 }) },
    { weight: 1, arbitrary: fc.integer({ min: 30_000, max: 70_000 }).map((size) => new Uint8Array(size).fill(7)) },
  ),
  { minLength: 1, maxLength: 12 },
);

describe("the end of a RocksDB log", () => {
  it("is its last byte when it is whole, with zeros behind it too", () => {
    fc.assert(
      fc.property(records, fc.boolean(), fc.nat(40_000), (made, recycled, zeros) => {
        const { log } = written(made, recycled);

        expect(endOf(log)).toMatchObject({ soundBytes: log.length, isCut: false });
        expect(endOf(Buffer.concat([log, Buffer.alloc(zeros)]))).toMatchObject({ soundBytes: log.length, isCut: false });
      }),
    );
  });

  it("is the last whole record of one that was cut anywhere, and a cut between two can't be told", () => {
    fc.assert(
      fc.property(records, fc.boolean(), fc.nat(), (made, recycled, anywhere) => {
        const { log, ends } = written(made, recycled);
        const cut = anywhere % log.length;

        const found = endOf(log.subarray(0, cut));

        const sound = ends.findLast((end) => end <= cut) ?? 0;
        expect(found.soundBytes).toBe(sound);
        if (found.isCut) expect(cut).toBeGreaterThan(sound);
        else expect(log.subarray(sound, cut).every((byte) => byte === 0)).toBe(true);
      }),
    );
  });

  it("is before a byte that was changed", () => {
    fc.assert(
      fc.property(records, fc.nat(), fc.integer({ min: 1, max: 255 }), (made, anywhere, mask) => {
        const { log, ends } = written(made, false);
        const at = anywhere % log.length;
        // The zeros before a border of two blocks say nothing.
        fc.pre(log[at] !== 0);
        log[at] = (log[at] ?? 0) ^ mask;

        const found = endOf(log);

        expect(found.isCut).toBe(true);
        expect(found.soundBytes).toBeLessThanOrEqual(ends.findLast((end) => end <= at) ?? 0);
      }),
    );
  });

  it("of an empty log is its beginning", () => {
    expect(endOf(Buffer.alloc(0))).toMatchObject({ soundBytes: 0, isCut: false });
  });
});
