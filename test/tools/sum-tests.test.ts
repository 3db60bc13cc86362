import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { root } from "../layers/imports.js";

type Status = "passed" | "failed" | "pending";

/** A report with one file of tests that ended so. */
function report(statuses: readonly Status[], file: "passed" | "failed" = statuses.includes("failed") ? "failed" : "passed"): string {
  return JSON.stringify({ testResults: [{ status: file, assertionResults: statuses.map((status) => ({ status })) }] });
}

/** What the last line says of these reports, and the exit code. */
function sum(...reports: readonly string[]): { readonly line: string; readonly exitCode: number | null } {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-reports-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const paths = reports.map((_, index) => join(folder, `${index}.json`));
  reports.forEach((text, index) => writeFileSync(paths[index] ?? "", text));
  const { stdout, status } = spawnSync(process.execPath, [`${root}tools/sum-tests.mjs`, ...paths], { encoding: "utf8" });
  return { line: stdout.trimEnd().split("\n").at(-1) ?? "", exitCode: status };
}

describe("the sum of the tiers", () => {
  it("adds up what the reports say", () => {
    expect(sum(report(["passed", "passed"]), report(["passed"]))).toEqual({ line: "3 passed, 0 failed", exitCode: 0 });
    expect(sum(report(["passed", "pending"]))).toEqual({ line: "1 passed, 0 failed, 1 skipped", exitCode: 0 });
  });

  it("fails when a test failed, and when a file broke before its first test", () => {
    expect(sum(report(["passed", "failed"]))).toEqual({ line: "1 passed, 1 failed", exitCode: 1 });
    expect(sum(report(["passed"]), report([], "failed"))).toEqual({ line: "1 passed, 1 failed", exitCode: 1 });
  });

  it("fails when a report is missing or unreadable, and when nothing ran", () => {
    expect(sum(report(["passed"]), "half a rep")).toEqual({ line: "1 passed, 1 failed", exitCode: 1 });
    expect(sum(report([]))).toEqual({ line: "0 passed, 0 failed", exitCode: 1 });
  });
});
