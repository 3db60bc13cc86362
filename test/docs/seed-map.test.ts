import { describe, expect, it } from "vitest";
import { doors, exportedNames, hasMember } from "./doors.js";
import { codeSpans, readPage, sectionsOf, tableRows } from "./pages.js";

interface Row {
  readonly seed: string;
  /** `Type` or `Type.member`; undefined where the answer is prose. */
  readonly answer: string | undefined;
  readonly door: string;
  readonly since: string;
}

const rows: Row[] = sectionsOf(readPage("docs/seed-map.md"))
  .flatMap(({ body }) => tableRows(body))
  .map(([seed = "", answer = "", door = "", since = ""]) => ({
    seed: codeSpans(seed)[0] ?? "",
    answer: answer.startsWith("`") ? codeSpans(answer)[0] : undefined,
    door: codeSpans(door)[0] ?? door,
    since,
  }));

/** Whether the door is there and exports the answer's type, with its member if one is named. */
function isThere({ answer = "", door }: Row): boolean {
  const [name = "", member] = answer.split(".");
  const source = doors().get(door);
  if (source === undefined || !exportedNames(source).has(name)) return false;
  return member === undefined || hasMember(name, member);
}

describe("docs/seed-map.md", () => {
  it("has a row for every name of the two seed documents", () => {
    const named = readPage("test/docs/seed-names.txt").trim().split("\n");

    expect(named.length).toBeGreaterThan(200);
    expect(named.filter((name) => !rows.some(({ seed }) => seed === name))).toEqual([]);
  });

  it("names each once", () => {
    const seeds = rows.map(({ seed }) => seed);

    expect(seeds.filter((seed, index) => seeds.indexOf(seed) !== index)).toEqual([]);
  });

  it("says where each answer is and since when", () => {
    for (const row of rows) expect(row.since, row.seed).toMatch(/^(here|—|with .+)$/);
    for (const row of rows.filter(({ since }) => since !== "—")) {
      expect(row.answer === undefined ? row.since : row.door, row.seed).toMatch(/^(tidemark\/\w+|on disk|with .+)$/);
    }
  });

  it("names only exports that exist, where it says that they are here", () => {
    const here = rows.filter(({ since, door }) => since === "here" && door !== "on disk");

    expect(here.length).toBeGreaterThan(20);
    expect(here.filter((row) => !isThere(row)).map(({ seed, answer, door }) => `${seed}: ${answer} of ${door}`)).toEqual([]);
  });

  it("says of nothing that it is to come when it is there", () => {
    const coming = rows.filter(({ since }) => since.startsWith("with "));

    expect(coming.filter((row) => isThere(row)).map(({ seed, answer }) => `${seed}: ${answer}`)).toEqual([]);
  });
});
