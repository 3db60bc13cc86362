/** The glossary gives each word one meaning. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { root } from "../layers/imports.js";

describe("docs/glossary.md", () => {
  it("has no word twice", () => {
    const words = [...readFileSync(`${root}docs/glossary.md`, "utf8").matchAll(/^\| ([^|]+?) +\|/gm)]
      .flatMap(([, entry = ""]) => entry.split(", "))
      .filter((word) => word !== "Word" && !word.startsWith("---"));

    expect(words.length).toBeGreaterThan(50);
    expect(words.filter((word, at) => words.indexOf(word) !== at)).toEqual([]);
  });
});
