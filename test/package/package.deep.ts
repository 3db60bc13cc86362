import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
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

function packagesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith("."))
    .flatMap((name) => (name.startsWith("@") ? readdirSync(join(folder, name)).map((inner) => `${name}/${inner}`) : [name]));
}

describe("the package, installed from its tarball", () => {
  let installed: InstalledPackage;
  beforeAll(() => {
    installed = installFromTarball();
    lend(installed, "@types/node");
  }, 120_000);
  afterAll(() => installed?.remove());

  it("has every file that its manifest names", () => {
    const named = [
      ...Object.values(manifest.exports).flatMap((target) => (typeof target === "string" ? [target] : Object.values(target))),
      ...Object.values(manifest.bin),
    ];

    expect(named.filter((path) => !existsSync(join(installed.folder, path)))).toEqual([]);
  });

  it("brings nothing along but protobuf: no other package, no test, and not much weight", () => {
    const files = filesOf(installed);

    // What the compiler was lent, and us.
    expect(packagesIn(join(installed.project, "node_modules"))).toEqual(["@bufbuild/protobuf", "@types/node", "tidemark"]);
    expect(files.filter((name) => /\.(test|deep)\.|conformance|^test\//.test(name))).toEqual([]);
    expect(statSync(installed.tarball).size).toBeLessThan(1_500_000);
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

  it("runs the README's program", () => {
    copyFileSync(join(root, "examples/quickstart.mjs"), join(installed.project, "quickstart.mjs"));

    expect(installed.run(process.execPath, ["quickstart.mjs"])).toBe("one espresso\ntwo croissants\n");
  });

  it("runs as `npx tidemark --help`", () => {
    expect(installed.run("npx", ["--offline", "tidemark", "--help"])).toContain("tidemark");
  });

  it.each([
    ["7", "typescript/bin/tsc"],
    ["6.0", "@microsoft/api-extractor/node_modules/typescript/bin/tsc"],
  ])(
    "typechecks for a user of TypeScript %s with lib ES2022 only, strict, and every declaration checked",
    (_, compiler) => {
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
      copyFileSync(join(root, "test/package/consumer/user.ts"), join(installed.project, "user.ts"));

      // What it prints is what is wrong.
      expect(installed.run(process.execPath, [join(root, "node_modules", compiler), "-p", "."])).toBe("");
    },
    120_000,
  );

  it("is as publint and are-the-types-wrong want it, for ESM", () => {
    const tool = (path: string): string => join(root, "node_modules", path);

    // Both end with another code than 0 when they find anything.
    const publint = installed.run(process.execPath, [tool("publint/src/cli.js"), "run", installed.tarball, "--strict"]);
    const types = installed.run(process.execPath, [
      tool("@arethetypeswrong/cli/dist/index.js"),
      installed.tarball,
      "--profile",
      "esm-only",
      "--no-color",
    ]);

    expect(publint).toContain("All good");
    for (const subpath of doors) expect(types).toContain(`"tidemark${subpath.slice(1)}"`);
  });
});
