import { describe, expect, it } from "vitest";
import { parseArguments } from "./arguments.js";
import { UsageError } from "./failure.js";
import { retentionAfter, retentionCell, retentionIn, retentionOptions } from "./retention.js";

const args = (...words: string[]) => parseArguments({ operands: [], options: retentionOptions }, words);

describe("retention on the command line", () => {
  it("of a new channel is what is named, and the queue's when nothing is", () => {
    expect(retentionIn(args())).toBeUndefined();
    expect(retentionIn(args("--retention-age", "7d"))).toEqual({ ageMs: 604_800_000 });
    expect(retentionIn(args("--retention-age", "none", "--retention-bytes", "1GiB"))).toEqual({ bytes: 2 ** 30 });
    expect(retentionIn(args("--retention-age", "none"))).toEqual({});
  });

  it("keeps of an altered channel what is not named", () => {
    const before = { ageMs: 1000, bytes: 2000, unreadBytesMax: 3000 };

    expect(retentionAfter(before, args("--retention-age", "0s"))).toEqual({ ...before, ageMs: 0 });
    expect(retentionAfter(before, args("--retention-bytes", "none"))).toEqual({ ageMs: 1000, unreadBytesMax: 3000 });
    expect(() => retentionAfter(before, args())).toThrow(UsageError);
  });

  it("is shown in one cell", () => {
    expect(retentionCell({ ageMs: 604_800_000, bytes: 2 ** 30 })).toBe("7 d, 1.1 GB");
    expect(retentionCell({})).toBe("everything");
  });
});
