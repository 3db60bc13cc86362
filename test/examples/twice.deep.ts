import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { root } from "../layers/imports.js";

const examples = readdirSync(`${root}examples`).filter((name) => name.endsWith(".mjs"));

it.each(examples)("The example %s runs again beside what its first run left", (name) => {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-example-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const run = (): string => execFileSync(process.execPath, [`${root}examples/${name}`], { cwd: folder, encoding: "utf8", timeout: 20_000 });

  expect([run(), run()]).not.toContain("");
});
