import { describe, expect, it } from "vitest";
import { sourceFilesBelow } from "../layers/imports.js";
import { missingTests, namedTests } from "./named-tests.js";
import { readPage, sectionsOf, tableRows } from "./pages.js";

const page = readPage("docs/operations.md");
const metrics = sectionsOf(page).find(({ title }) => title === "Metrics")?.body ?? "";

describe("docs/operations.md", () => {
  it("has every metric that there is, and its kind", () => {
    const made = sourceFilesBelow("src").flatMap(({ text }) =>
      [...text.matchAll(/\.(counter|gauge|histogram)\(\s*"(tidemark_\w+)"/g)].map(([, kind, name]) => `\`${name}\` ${kind}`),
    );
    const shown = tableRows(metrics).flatMap(([name = "", kind]) => (name.includes("tidemark_") ? [`${name} ${kind}`] : []));

    expect(shown.sort()).toEqual(made.sort());
  });

  it("has every event that a queue tells", () => {
    const events = sourceFilesBelow("src").find(({ path }) => path === "src/rocksmq/events.ts")?.text ?? "";
    const told = [...events.matchAll(/readonly type: "([\w-]+)"/g)].map(([, type]) => `\`${type}\``);

    const shown = tableRows(metrics).map(([name = ""]) => name);

    expect(told.length).toBeGreaterThan(0);
    expect(told.filter((type) => !shown.includes(type))).toEqual([]);
  });

  it("names tests that exist", () => {
    expect(namedTests(page).length).toBeGreaterThan(0);
    expect(missingTests(namedTests(page))).toEqual([]);
  });
});
