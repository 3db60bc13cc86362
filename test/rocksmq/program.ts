/**
 * Programs of their own: what a process does when nobody else is in it.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { root } from "../layers/imports.js";

/** How a program ended. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A new directory, gone when the test is over. */
export function newDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), "tidemark-program-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Runs the body of a program that has `openRocksMq` and `dir`, from `dist/`, with `--expose-gc`. */
export async function runProgram(body: string, dir = newDirectory()): Promise<Outcome> {
  const program = `
    import { openRocksMq } from ${JSON.stringify(join(root, "dist/rocksmq/index.js"))};
    const dir = ${JSON.stringify(dir)};
    ${body}`;
  const child = spawn(process.execPath, ["--expose-gc", "--input-type=module", "--eval", program]);
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, stdout, stderr };
}
