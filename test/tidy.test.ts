/**
 * Tidiness as a test: what a reviewer should not have to say twice. The linter has the rest.
 */
import { describe, expect, it } from "vitest";
import { isTest } from "./layers/floor-plan.js";
import { codeOf, type SourceFile, sourceFilesBelow } from "./layers/imports.js";
import { processWide, processWideIn } from "./process-wide.js";

/** What `npm run generate` writes is nobody's hand. */
const generated = /^src\/message\/gen\//;
const sources = sourceFilesBelow("src").filter(({ path }) => !isTest(path) && !generated.test(path));
const tests = [...sourceFilesBelow("src").filter(({ path }) => isTest(path)), ...sourceFilesBelow("test")];

/** `path:line` of every line of code that matches. */
function places(files: readonly SourceFile[], pattern: RegExp): string[] {
  return files.flatMap(({ path, text }) =>
    codeOf(text)
      .split("\n")
      .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}`] : [])),
  );
}

/** Exports whose line before is not the end of a doc comment, nor another signature of the same function: one comment is for all of them. */
function undocumented({ path, text }: SourceFile): string[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    const isExport = /^export (?:abstract |async |declare )*(?:class|interface|function\*?|const|type) \w/.test(line);
    const before = lines[index - 1] ?? "";
    const [, name = ""] = /^export function (\w+)/.exec(line) ?? [];
    const isOverload = name !== "" && new RegExp(`^export function ${name}\\b.*;$`).test(before);
    return isExport && !isOverload && !/\*\/\s*$/.test(before) ? [`${path}:${index + 1}`] : [];
  });
}

describe("the sources", () => {
  it("say of every export what it is", () => {
    expect(sources.flatMap(undocumented)).toEqual([]);
  });

  it("have no file of more than 400 lines", () => {
    expect([...sources, ...tests].filter(({ text }) => text.split("\n").length > 400).map(({ path }) => path)).toEqual([]);
  });

  it("have no file or folder whose name could hold anything", () => {
    expect(
      [...sources, ...tests]
        .map(({ path }) => path)
        .filter((path) => /(^|[/-])(utils?|helpers?|common|managers?|misc)([/.-]|$)/.test(path)),
    ).toEqual(["test/api/contract/common.d.ts"]);
  });

  it("cast nothing through unknown", () => {
    expect(places(sources, /\bas unknown as\b/)).toEqual([]);
  });

  it("swallow no error in silence", () => {
    expect(sources.filter(({ text }) => /catch\s*(\([^)]*\))?\s*\{\s*\}/.test(codeOf(text))).map(({ path }) => path)).toEqual([]);
  });
});

describe("the tests", () => {
  it("do not sleep", () => {
    expect(places(tests, /\bsetTimeout\(\s*(r|res|resolve|done)\b|\bawait (sleep|delay|setTimeout)\(|"node:timers\/promises"/)).toEqual([]);
  });

  it("leave their process as it is, unless they have one of their own", () => {
    // The deep ones and RocksDB's have one each.
    const together = tests.filter(({ path }) => !/\.(deep|rocksdb)\.ts$/.test(path) && !processWide.includes(path));

    expect(processWideIn(together)).toEqual([]);
    expect(processWide.filter((path) => processWideIn(tests.filter((file) => file.path === path)).length === 0)).toEqual([]);
  });

  it.each([
    'process.chdir("/tmp");',
    'process.env["TZ"] = "UTC";',
    "process.env.SEED ??= `1`;",
    'delete process.env["TZ"];',
    'process.once("exit", stop);',
    "process.exitCode = 1;",
    "globalThis.fetch = fetched;",
    "Math.random = () => 0.5;",
    "Uint8Array.prototype.slice = slice;",
    'Object.defineProperty(Date, "now", { value: now });',
    'vi.mock("node:fs");',
    "vi.useFakeTimers();",
    'vi.stubEnv("TZ", "UTC");',
    'vi.spyOn(process, "hrtime");',
    "expect(process.memoryUsage().heapUsed).toBeLessThan(limit);",
  ])("that change or count what is of the whole process are told: %s", (line) => {
    expect(processWideIn([{ path: "test/x.test.ts", text: `const a = 1;\n  ${line}\n` }])).toEqual(["test/x.test.ts:2"]);
  });

  it.each([
    'const seed = process.env["SEED"] ?? 1;',
    'if (process.platform === "linux") run();',
    'vi.spyOn(signal, "removeEventListener");',
  ])("that only look are not: %s", (line) => {
    expect(processWideIn([{ path: "test/x.test.ts", text: line }])).toEqual([]);
  });

  it("are neither skipped nor alone", () => {
    expect(places(tests, /\b(it|test|describe)\.(skip|only|todo)\b/)).toEqual([]);
  });
});
