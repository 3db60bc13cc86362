import { describe, expect, it } from "vitest";
import { type BenchReport, claims, type Figure } from "../bench/index.js";
import { benchLines, valueText } from "./bench-text.js";

const plain = { bold: String, dim: String, good: String, bad: String };

function reportOf(figures: readonly Figure[], machine: Partial<BenchReport["machine"]> = {}): BenchReport {
  return {
    size: "usual",
    ms: 1_000,
    machine: {
      node: "v20.19.4",
      platform: "linux-x64",
      cores: 2,
      cpu: "a processor",
      folder: "/disk",
      inMemory: false,
      loadBefore: 0.1,
      loadAfter: 1,
      ...machine,
    },
    claims: [{ name: "row", about: "a claim", figures, ms: 1_000 }],
  };
}

function got(value: number): Figure["thread"] {
  return { median: value, rounds: [value] };
}

describe("the report of the benchmarks", () => {
  const share = { better: "more", must: 0.85, stretch: 0.95 } as const;

  it("shows must, stretch and what both hosts got, and says plainly what was missed", () => {
    const lines = benchLines(reportOf([{ what: "share", unit: "ratio", goal: share, thread: got(0.96), inline: got(0.5) }]), plain);

    const line = lines.find((text) => text.startsWith("  share")) ?? "";
    expect(line.split(/\s+/).slice(1)).toEqual(["share", ">=", "0.85", ">=", "0.95", "0.96", "*", "0.50", "MISSED"]);
    expect(lines.at(-2)).toBe("1 goals: 1 reached (1 stretched, marked *), 0 missed");
  });

  it("judges by the host that a user gets", () => {
    const lines = benchLines(reportOf([{ what: "share", unit: "ratio", goal: share, thread: got(0.5), inline: got(0.96) }]), plain);

    expect(lines.at(-2)).toBe("1 goals: 0 reached (0 stretched, marked *), 1 missed: row");
  });

  it("fits into 100 columns, with the widest figures of each unit", () => {
    const less = { better: "less", must: 150e6, stretch: 80e6 } as const;
    const wide: Figure[] = [
      { what: "the longest text that there is in any row", unit: "bytes", goal: less, thread: got(949.9e6), inline: got(949.9e6) },
      { what: "share", unit: "ratio", goal: share, thread: got(NaN), inline: got(0.01) },
      { what: "ms", unit: "ms", goal: { better: "less", must: 1_000, stretch: 0.5 }, thread: got(123_456), inline: got(0.123) },
      { what: "rate", unit: "per second", goal: { better: "more", must: 3e5, stretch: 2.5e6 }, thread: got(299_999), inline: got(12e6) },
    ];

    const every = claims.map(({ name, about }) => ({ name, about, figures: wide, ms: 1 }));
    const widths = benchLines({ ...reportOf([]), claims: every }, plain).map((line) => line.length);

    expect(Math.max(...widths)).toBeLessThanOrEqual(100);
  });

  it("puts the figures below each other where a line is too narrow for them, under a head of the same form", () => {
    const wide: Figure = { what: "share", unit: "per second", goal: share, thread: got(299_999), inline: got(0.5) };
    const lines = benchLines(reportOf([wide]), plain, 40);

    const from = lines.findIndex((line) => line.trim().startsWith("MUST"));
    expect(lines.slice(from, from + 2).map((line) => line.trim().split(/ +/))).toEqual([
      ["MUST", "STRETCH"],
      ["THREAD", "INLINE"],
    ]);
    const at = lines.indexOf("  share");
    expect(lines.slice(at + 1, at + 3).map((line) => line.length <= 40)).toEqual([true, true]);
    expect(lines[at + 2]).toContain("MISSED");
  });

  it("warns of a busy machine, and of a folder in memory", () => {
    const text = benchLines(reportOf([], { loadBefore: 3, inMemory: true }), plain).join("\n");

    expect(text).toContain("was busy");
    expect(text).toContain("in memory");
    expect(benchLines(reportOf([]), plain).join("\n")).not.toMatch(/busy|in memory/);
  });

  it("says why a claim was not measured", () => {
    const report = { ...reportOf([]), claims: [{ name: "redis", about: "beside it", figures: [], skipped: "it is not there", ms: 0 }] };

    expect(benchLines(report, plain)).toContain("  not measured: it is not there");
  });
});

describe("a value", () => {
  it("has its unit and no more digits than are known", () => {
    expect([0.123, 12.3, 1_234].map((ms) => valueText(ms, "ms"))).toEqual(["0.12 ms", "12 ms", "1.2 s"]);
    expect([304.4, 171_234, 2_543_210].map((n) => valueText(n, "per second"))).toEqual(["304", "171,000", "2.5 M"]);
    expect([valueText(0.034, "percent"), valueText(89.6, "percent"), valueText(26, "count")]).toEqual(["0.03 %", "90 %", "26"]);
    expect(valueText(NaN, "ratio")).toBe("-");
  });
});
