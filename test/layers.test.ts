import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { breaches, packages } from "./layers/floor-plan.js";
import { root, type SourceFile, sourceFilesBelow } from "./layers/imports.js";

/** A tree of made-up sources. */
function tree(files: Record<string, string>): SourceFile[] {
  return Object.entries(files).map(([path, text]) => ({ path, text }));
}

describe("the floor plan", () => {
  it("holds for every source file", () => {
    const sources = sourceFilesBelow("src");

    expect(sources.length).toBeGreaterThan(3);
    expect(breaches(sources)).toEqual([]);
  });

  it("installs nothing beside us but the packages that it names, each pinned", () => {
    const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as Record<string, unknown>;
    const dependencies = manifest["dependencies"] as Readonly<Record<string, string>>;

    expect(Object.keys(dependencies).sort()).toEqual([...new Set(Object.values(packages).flat())].sort());
    for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(manifest).not.toHaveProperty("optionalDependencies");
    expect(manifest).not.toHaveProperty("bundleDependencies");
  });
});

describe("the check of the floor plan", () => {
  it("finds an import against the direction, also of a type", () => {
    const found = breaches(tree({ "src/storage/a.ts": `import type { Q } from "../rocksmq/index.js";` }));

    expect(found).toEqual(["src/storage/a.ts: may not import src/rocksmq/index.ts"]);
  });

  it("finds a room entered by a side door, but takes single files from the shelf", () => {
    const found = breaches(
      tree({ "src/rocksmq/a.ts": `import { e } from "../storage/segment/log.js";\nimport { TidemarkError } from "../base/errors.js";` }),
    );

    expect(found).toEqual(["src/rocksmq/a.ts: enters storage by src/storage/segment/log.ts, not by its index.ts"]);
  });

  it("finds files and folders that import each other", () => {
    const found = breaches(
      tree({
        "src/base/a.ts": `import { b } from "./b.js";`,
        "src/base/b.ts": `export { a } from "./a.js";`,
        "src/storage/segment/x.ts": `import { y } from "../memory/y.js";`,
        "src/storage/memory/z.ts": `import { w } from "../segment/w.js";`,
      }),
    );

    expect(found).toEqual([
      "files import each other: src/base/a.ts → src/base/b.ts → src/base/a.ts",
      "folders import each other: src/storage/segment → src/storage/memory → src/storage/segment",
    ]);
  });

  it("finds the disk, the clock, timers and packages outside their place, and not in tests", () => {
    const found = breaches(
      tree({
        "src/rocksmq/a.ts": `import { readFile } from "node:fs/promises";\nimport left from "left-pad";\nconst t = Date.now();\nsetTimeout(f, 1);`,
        "src/rocksmq/a.test.ts": `import { readFile } from "node:fs/promises";\nconst t = Date.now();`,
        "src/base/clock.ts": `const t = Date.now();`,
      }),
    );

    expect(found).toEqual([
      `src/rocksmq/a.ts: imports the package "left-pad"; what the default install has, and for whom, is in the floor plan`,
      "src/rocksmq/a.ts: uses the disk (node:fs)",
      "src/rocksmq/a.ts: uses the clock (Date.now, performance.now, hrtime)",
      "src/rocksmq/a.ts: uses timers",
    ]);
  });

  it("finds a room that nobody planned, and a test that the product imports", () => {
    const found = breaches(tree({ "src/utils/a.ts": "", "src/meta/a.ts": `import { suite } from "../storage/conformance/index.js";` }));

    expect(found).toContain(`src/utils/a.ts: the room "utils" is not on the floor plan`);
    expect(found).toContain("src/meta/a.ts: imports the test src/storage/conformance/index.ts");
  });
});
