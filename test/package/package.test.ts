import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../layers/imports.js";
import { type InstalledPackage, installFromTarball, lend } from "./installed.js";

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly bin: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as Manifest;
const doors = Object.keys(manifest.exports).filter((subpath) => subpath !== "./package.json");

function filesOf(installed: InstalledPackage): string[] {
  return readdirSync(installed.folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(installed.folder, name)).isFile(),
  );
}

describe("the package, installed from its tarball", () => {
  let installed: InstalledPackage;
  beforeAll(() => {
    installed = installFromTarball();
  }, 120_000);
  afterAll(() => installed?.remove());

  it("has every file that its manifest names", () => {
    const named = [
      ...Object.values(manifest.exports).flatMap((target) => (typeof target === "string" ? [target] : Object.values(target))),
      ...Object.values(manifest.bin),
    ];

    expect(named.filter((path) => !existsSync(join(installed.folder, path)))).toEqual([]);
  });

  it("brings nothing along: no other package, no test, and not much weight", () => {
    const files = filesOf(installed);

    expect(readdirSync(join(installed.project, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["tidemark"]);
    expect(files.filter((name) => /\.(test|deep)\.|conformance|^test\//.test(name))).toEqual([]);
    expect(statSync(installed.tarball).size).toBeLessThan(1_000_000);
  });

  it("has the tour's data, the licence and the pages that the README points to", () => {
    const files = filesOf(installed);

    for (const name of ["LICENSE", "README.md", "CHANGELOG.md", "docs/guarantees.md", "docs/errors.md", "data/README.md"])
      expect(files).toContain(name);
  });

  it.each(doors)("opens its door %s", (subpath) => {
    const specifier = `tidemark${subpath.slice(1)}`;

    const names = JSON.parse(
      installed.run(process.execPath, [
        "--input-type=module",
        "-e",
        `console.log(JSON.stringify(Object.keys(await import("${specifier}"))))`,
      ]),
    ) as string[];

    expect(names.length).toBeGreaterThan(0);
  });

  it("runs as `npx tidemark --help`", () => {
    expect(installed.run("npx", ["--offline", "tidemark", "--help"])).toContain("tidemark");
  });

  it("typechecks for a user with lib ES2022 only, strict, and every declaration checked", () => {
    lend(installed, "@types/node");
    const options = {
      target: "ES2022",
      lib: ["ES2022"],
      module: "NodeNext",
      types: ["node"],
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
    };
    writeFileSync(join(installed.project, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["user.ts"] }));
    const imports = doors.map((subpath, index) => `import * as door${index} from "tidemark${subpath.slice(1)}";`);
    writeFileSync(
      join(installed.project, "user.ts"),
      [...imports, `export const doors = [${doors.map((_, index) => `door${index}`).join(", ")}];`].join("\n"),
    );

    // What it prints is what is wrong.
    expect(() => installed.run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "."])).not.toThrow();
  });

  it("is as publint and are-the-types-wrong want it", () => {
    const tool = (path: string): string => join(root, "node_modules", path);

    expect(installed.run(process.execPath, [tool("publint/src/cli.js"), "run", installed.tarball, "--strict"])).toContain("All good");
    expect(
      installed.run(process.execPath, [
        tool("@arethetypeswrong/cli/dist/index.js"),
        installed.tarball,
        "--profile",
        "esm-only",
        "--no-color",
        "--format",
        "ascii",
      ]),
    ).toContain("No problems found");
  });
});
