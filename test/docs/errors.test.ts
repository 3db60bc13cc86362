import { describe, expect, it } from "vitest";
import { errorCodes } from "../../src/base/errors.js";
import { codeOf, sourceFilesBelow } from "../layers/imports.js";
import { isTest } from "../layers/floor-plan.js";
import { codeSpans, readPage, sectionsOf, tableRows } from "./pages.js";

const sections = sectionsOf(readPage("docs/errors.md"));
const table = Object.entries(errorCodes);

/** What `ErrorDetails` says a code carries: its field names. */
function declaredDetails(code: string): string[] {
  const declaration = /export interface ErrorDetails \{([\s\S]*?)\n\}/.exec(readPage("src/base/errors.ts"))?.[1] ?? "";
  const line = declaration.split("\n").find((text) => text.trim().startsWith(`"${code}":`) || text.trim().startsWith(`${code}:`));
  return [...(line?.split("{")[1] ?? "").matchAll(/(\w+)\??:/g)].map((match) => match[1] ?? "");
}

function rowOf(code: string): string[] {
  return tableRows(sections.find(({ title }) => title === `\`${code}\``)?.body ?? "")[0] ?? [];
}

describe("docs/errors.md", () => {
  it("has an entry for each code and for nothing else, in the order of the table", () => {
    expect(sections.map(({ title }) => title)).toEqual(table.map(([code]) => `\`${code}\``));
  });

  it.each(table)("says of %s what the table says", (code, { retry, effect }) => {
    const [shownRetry, shownEffect, shownDetails] = rowOf(code);

    expect([shownRetry, shownEffect]).toEqual([retry, effect]);
    expect(codeSpans(shownDetails ?? "")).toEqual(declaredDetails(code));
  });

  it("says of each code what it means, who throws it and what to do", () => {
    for (const { title, body } of sections) {
      for (const word of ["Means", "Thrown by", "Do"])
        expect(body, `${title} lacks "${word}"`).toMatch(new RegExp(`^- \\*\\*${word}\\.\\*\\* \\S`, "m"));
    }
  });

  it("says that nobody throws a code exactly when no source does", () => {
    const code = sourceFilesBelow("src")
      .filter(({ path }) => !isTest(path) && path !== "src/base/errors.ts")
      .map(({ text }) => codeOf(text))
      .join("\n");
    const thrown = new Set([...code.matchAll(/new TidemarkError\(\s*"([a-z-]+)"/g)].map((match) => match[1] ?? ""));

    const documented = sections.filter(({ body }) => !body.includes("**Thrown by.** Nobody yet;")).map(({ title }) => title.slice(1, -1));

    expect(documented.sort()).toEqual([...thrown].sort());
  });
});
