import { describe, expect, it } from "vitest";
import { UsageError } from "./failure.js";
import { parseCut, parsePlace, parseTime } from "./place.js";

const now = Date.UTC(2026, 0, 31, 12);

describe("parsePlace", () => {
  it("tells ends, ids and times apart", () => {
    expect(parsePlace("earliest", "--from", now)).toEqual({ kind: "earliest" });
    expect(parsePlace("latest", "--from", now)).toEqual({ kind: "latest" });
    expect(parsePlace("9223372036854775807", "--from", now)).toEqual({ kind: "id", id: 2n ** 63n - 1n });
    expect(parsePlace("10m", "--from", now)).toEqual({ kind: "time", timeMs: now - 600_000 });
  });

  it("refuses an id that no message can have, and what is nothing of all", () => {
    expect(() => parsePlace("9223372036854775808", "--from", now)).toThrow("above the largest id");
    for (const wrong of ["", "-1", "yesterday", "10 m", "1.5h", "0x10"]) {
      expect(() => parsePlace(wrong, "--from", now)).toThrow(UsageError);
    }
  });
});

describe("parseCut", () => {
  it("takes an id, and a time that has been", () => {
    expect(parseCut("7", "--before", now)).toEqual({ kind: "id", id: 7n });
    expect(parseCut("2026-01-31T12:00", "--before", now)).toEqual({ kind: "time", timeMs: now });
  });

  it("refuses a time to come, the ends, and what is nothing of all", () => {
    for (const wrong of ["2026-01-31T12:01", "2099-01-01", "earliest", "latest", "nope"])
      expect(() => parseCut(wrong, "--before", now)).toThrow(UsageError);
  });
});

describe("parseTime", () => {
  it.each([
    ["2026-01-31", "2026-01-31T00:00:00.000Z"],
    ["2026-01-31T08:15", "2026-01-31T08:15:00.000Z"],
    ["2026-01-31T08:15:30", "2026-01-31T08:15:30.000Z"],
    ["2026-01-31T08:15:30.5Z", "2026-01-31T08:15:30.500Z"],
    ["2026-01-31T08:15+02:00", "2026-01-31T06:15:00.000Z"],
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
    ["90s", "2026-01-31T11:58:30.000Z"],
    ["2h", "2026-01-31T10:00:00.000Z"],
    ["7d", "2026-01-24T12:00:00.000Z"],
    ["1w", "2026-01-24T12:00:00.000Z"],
    ["0s", "2026-01-31T12:00:00.000Z"],
  ])("reads %s, without a zone as UTC", (text, expected) => {
    expect(new Date(parseTime(text, now) ?? NaN).toISOString()).toBe(expected);
  });

  it.each(["2026-02-31", "2025-02-29", "2026-13-01", "2026-01-31T25:00", "2026-01-31 08:00", "10", "10y", "ago", "2026-1-31"])(
    "does not take %s for a time",
    (text) => {
      expect(parseTime(text, now)).toBeUndefined();
    },
  );
});
