import { describe, expect, it } from "vitest";
import { bytes, count, counted, duration, rate, time } from "./figures.js";

describe("figures", () => {
  it("groups digits, of 64-bit numbers too", () => {
    expect(count(1234567)).toBe("1,234,567");
    expect(count(2n ** 63n)).toBe("9,223,372,036,854,775,808");
  });

  it("knows one from many", () => {
    expect(counted(1, "message")).toBe("1 message");
    expect(counted(0n, "message")).toBe("0 messages");
    expect(counted(2000n, "message")).toBe("2,000 messages");
  });

  it("gives bytes in decimal units, rolling over where rounding would", () => {
    expect([0, 999, 1000, 999_949, 999_950, 27_400_000, 5e12, 5e15].map(bytes)).toEqual([
      "0 B",
      "999 B",
      "1.0 kB",
      "999.9 kB",
      "1.0 MB",
      "27.4 MB",
      "5.0 TB",
      "5000.0 TB",
    ]);
  });

  it("gives times with the digits that mean something", () => {
    expect([0, 0.44, 9.94, 9.96, 31.2, 999.4, 999.6, 12_340].map(duration)).toEqual([
      "0.0 ms",
      "0.4 ms",
      "9.9 ms",
      "10 ms",
      "31 ms",
      "999 ms",
      "1.0 s",
      "12.3 s",
    ]);
  });

  it("never pretends to know a rate better than to three digits", () => {
    expect([171_234, 1_234_567, 42, 0].map(rate)).toEqual(["171,000", "1,230,000", "42", "0"]);
  });

  it("prints times in UTC", () => {
    expect(time(0)).toBe("1970-01-01T00:00:00.000Z");
  });
});
