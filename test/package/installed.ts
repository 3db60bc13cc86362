/**
 * The package as a user gets it: packed, and installed from the tarball into an empty project without a network.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../layers/imports.js";

/** An empty project with nothing but the tarball installed. */
export interface InstalledPackage {
  readonly tarball: string;
  /** The user's project. */
  readonly project: string;
  /** `node_modules/tidemark` in it. */
  readonly folder: string;
  /** Runs a command in the project; throws with its output when it fails. */
  run(command: string, args: readonly string[]): string;
  remove(): void;
}

/** Packs the tree as it is and installs it. The caller owes a `remove()`. */
export function installFromTarball(): InstalledPackage {
  const home = mkdtempSync(join(tmpdir(), "tidemark-package-"));
  const project = join(home, "project");
  mkdirSync(project);
  // dist/ is young already (the global set-up); packing must not build again while other tests run from it.
  execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", home], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const tarball = join(home, readdirSync(home).find((name) => name.endsWith(".tgz")) ?? "no tarball");
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "user", private: true, type: "module" }));
  const run = (command: string, args: readonly string[]): string => {
    const env = { ...process.env, NO_COLOR: "1" };
    const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: project, encoding: "utf8", env, timeout: 60_000 });
    if (status === 0) return stdout;
    throw new Error(`${command} ${args.join(" ")} ended with ${status}:\n${stdout}${stderr}`, { cause: error });
  };
  // Without a network: what a user's npm would fetch is there already.
  const packed = Object.keys(manifest().dependencies).map((name) => join(root, "node_modules", name));
  const dependencies = packed.map((folder) => join(home, run("npm", ["pack", "--silent", "--pack-destination", home, folder]).trim()));
  run("npm", ["install", "--offline", "--no-audit", "--no-fund", ...dependencies, tarball]);
  return {
    tarball,
    project,
    folder: join(project, "node_modules", "tidemark"),
    run,
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

function manifest(): { readonly dependencies: Readonly<Record<string, string>> } {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as ReturnType<typeof manifest>;
}

/** Puts one of our own development packages beside the installed one, as a user's would stand there. */
export function lend(installed: InstalledPackage, name: string): void {
  const target = join(installed.project, "node_modules", name);
  mkdirSync(join(target, ".."), { recursive: true });
  symlinkSync(join(root, "node_modules", name), target);
}
