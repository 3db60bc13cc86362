import { describe, expect, it } from "vitest";
import { missingTests, namedTests } from "./named-tests.js";
import { readPage, sectionsOf } from "./pages.js";

const laws = sectionsOf(readPage("docs/guarantees.md"))
  .filter(({ title }) => /^G\d+ /.test(title))
  .map(({ title, body }) => ({ name: title, tests: namedTests(body) }));

describe("docs/guarantees.md", () => {
  it("has the laws that hold for the embedded queue", () => {
    expect(laws.map(({ name }) => name.split(" ")[0])).toEqual(["G1", "G2", "G3", "G4", "G5", "G11", "G12", "G13", "G14", "G15"]);
  });

  it.each(laws)("names tests that exist, for $name", ({ tests }) => {
    expect(tests.length).toBeGreaterThan(0);
    expect(missingTests(tests)).toEqual([]);
  });
});
