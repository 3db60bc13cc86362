/**
 * Every program in `examples/` runs, each in an empty folder, and prints what its header says it prints.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { root } from "../layers/imports.js";

const examples = readdirSync(`${root}examples`).filter((name) => name.endsWith(".mjs"));

/** The indented lines under "Prints" in the header. */
function promised(text: string): string {
  const header = /^ \* Prints\n((?: \* {5}.*\n)+)/m.exec(text)?.[1] ?? "";
  return header.replace(/^ \* {5}/gm, "");
}

describe("the examples", () => {
  it("are there", () => {
    expect(examples.length).toBeGreaterThanOrEqual(4);
  });

  it("can run beside each other: no two keep their data in one place", () => {
    const places = examples.flatMap((name) => [
      ...new Set([...readFileSync(`${root}examples/${name}`, "utf8").matchAll(/"(\.\/[^"]+)"/g)].map(([, place = ""]) => place)),
    ]);

    expect(places).toContain("./orders-data");
    expect(places.filter((place, at) => places.indexOf(place) !== at)).toEqual([]);
  });

  it.each(examples)("%s prints what it says", (name) => {
    const folder = mkdtempSync(join(tmpdir(), "tidemark-example-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));

    const printed = execFileSync(process.execPath, [`${root}examples/${name}`], { cwd: folder, encoding: "utf8", timeout: 20_000 });

    expect(printed).not.toBe("");
    expect(printed).toBe(promised(readFileSync(`${root}examples/${name}`, "utf8")));
  });
});
