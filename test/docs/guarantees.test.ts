import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { root } from "../layers/imports.js";
import { readPage, sectionsOf } from "./pages.js";

interface Law {
  readonly name: string;
  readonly tests: readonly { readonly file: string; readonly title: string }[];
}

/** List items of the form: - `file`: "title" */
const laws: Law[] = sectionsOf(readPage("docs/guarantees.md"))
  .filter(({ title }) => /^G\d+ /.test(title))
  .map(({ title, body }) => ({
    name: title,
    tests: [...body.matchAll(/^- `([^`]+)`: "(.+)"$/gm)].map((match) => ({ file: match[1] ?? "", title: match[2] ?? "" })),
  }));

describe("docs/guarantees.md", () => {
  it("has the laws that hold for the embedded queue", () => {
    expect(laws.map(({ name }) => name.split(" ")[0])).toEqual(["G1", "G2", "G3", "G4", "G11", "G12", "G13", "G14", "G15"]);
  });

  it.each(laws)("names tests that exist, for $name", ({ tests }) => {
    expect(tests.length).toBeGreaterThan(0);
    for (const { file, title } of tests) {
      expect(file).toMatch(/\.(test|deep)\.ts$|\/conformance\//);
      expect(existsSync(root + file), file).toBe(true);
      const source = readPage(file);
      expect(
        [`"${title}"`, `'${title}'`, `\`${title}\``].some((quoted) => source.includes(quoted)),
        `${file} has no test "${title}"`,
      ).toBe(true);
    }
  });
});
