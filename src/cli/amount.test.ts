import { expect, it } from "vitest";
import { parseAge, parseSize } from "./amount.js";
import { UsageError } from "./failure.js";

it.each([
  ["7d", 604_800_000],
  ["1.5h", 5_400_000],
  ["30min", 1_800_000],
  ["90s", 90_000],
  ["250ms", 250],
  ["2w", 1_209_600_000],
  ["0s", 0],
])("An age of %s is %i ms", (text, ms) => {
  expect(parseAge("retention-age", text)).toBe(ms);
});

it.each([
  ["1GiB", 2 ** 30],
  ["1GB", 1e9],
  ["64KiB", 65_536],
  ["1.5MB", 1_500_000],
  ["0B", 0],
])("A size of %s is %i bytes", (text, bytes) => {
  expect(parseSize("retention-bytes", text)).toBe(bytes);
});

it.each(["7", "d", "-1d", "7 d", "7days", "1e3d", "constructor", "1constructor"])("%s is no amount", (text) => {
  expect(() => parseAge("retention-age", text)).toThrow(UsageError);
  expect(() => parseSize("retention-bytes", text)).toThrow(`--retention-bytes is a number and a unit`);
});

it("0 needs a unit, and the error says how to mean none and how to mean nothing", () => {
  expect(() => parseAge("retention-age", "0")).toThrow(/none for no bound, 0s to keep nothing; not "0"$/);
  expect(() => parseSize("retention-bytes", "0")).toThrow(/none for no bound, 0B to keep nothing; not "0"$/);
});
