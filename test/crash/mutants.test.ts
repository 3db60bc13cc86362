import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mutants } from "./mutants/mutants.js";
import { buildEngine } from "./mutants/test-build.js";

/** `mutants.deep.ts` lets it see each of them. */
describe("The crash explorer", () => {
  it("has at least twelve traces of log-rules.md to see", () => {
    expect(new Set(mutants.map(({ trace }) => trace.split(",")[0])).size).toBeGreaterThanOrEqual(12);
  });

  it("has only edits that still find their place in the source", async () => {
    for (const { file, from } of mutants.flatMap(({ edits }) => edits)) {
      const source = await readFile(join("src/storage", file), "utf8");

      expect([file, from, source.split(from).length - 1]).toEqual([file, from, 1]);
    }
  });

  it("refuses an edit of source that has moved on", async () => {
    await expect(buildEngine([{ file: "segment/log-tail.ts", from: "there is no such line", to: "" }])).rejects.toThrow("0 times");
    await expect(buildEngine([{ file: "segment/no-such-file.ts", from: "x", to: "" }])).rejects.toThrow("no part of the build");
  });
});
