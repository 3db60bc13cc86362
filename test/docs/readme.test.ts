import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { commands } from "../../src/cli/command-line.js";
import { root } from "../layers/imports.js";
import { codeBlocks, readPage } from "./pages.js";

const pages = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  ...["errors", "glossary", "guarantees", "log-format", "seed-map", "decisions/README"].map((name) => `docs/${name}.md`),
];

/** A program without its header, as the README shows it. */
function body(path: string): string {
  return readPage(path).replace(/^\/\*\*[\s\S]*?\*\/\n/, "");
}

describe("README.md", () => {
  const readme = readPage("README.md");

  it("shows programs from examples/ to the letter", () => {
    const named = [...readme.matchAll(/<!-- (examples\/[\w.-]+) -->\n+```js\n([\s\S]*?)```/g)];

    expect(named.length).toBe(codeBlocks(readme).filter(({ language }) => language === "js").length);
    expect(named.length).toBeGreaterThan(0);
    for (const [, path = "", text] of named) expect(text).toBe(body(path));
  });

  it("names only scripts that exist", () => {
    const { scripts } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { scripts: Record<string, string> };
    const named = ["README.md", "CONTRIBUTING.md"].flatMap((page) =>
      [...readPage(page).matchAll(/npm (?:run ([\w:]+)|(start|test)\b)/g)].map((match) => match[1] ?? match[2] ?? ""),
    );

    expect(named).toContain("start");
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it("shows every command of the command line, and no other", () => {
    const shown = [...readme.matchAll(/^tidemark (\w+)/gm)].map((match) => match[1]);

    expect(shown).toEqual([...new Set(commands.map(({ words }) => words.split(" ")[0]))]);
  });

  it("shows the version's tarball", () => {
    const { version } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { version: string };

    expect(readme).toContain(`tidemark-${version}.tgz`);
  });
});

describe("the pages", () => {
  it.each(pages)("%s points only to what is there", (page) => {
    const targets = [...readPage(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((match) => match[1] ?? "");

    expect(targets.filter((target) => !existsSync(join(root, dirname(page), target)))).toEqual([]);
  });
});
