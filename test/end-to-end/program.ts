/** The program as a user starts it: `dist/cli/main.js` in a process of its own. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { root } from "../layers/imports.js";

/** How a run ended, and what it said. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** stdout, byte for byte. */
  readonly bytes: Buffer;
}

/** What a run gets besides its arguments. */
export interface RunOptions {
  readonly input?: string | Uint8Array | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** A folder of this test file's own, gone when the file is done. Not to be called in a test: what is to be done after all is asked for before them. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-test-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts `tidemark`; the caller ends it. */
export function start(args: readonly string[], { cwd, env }: Omit<RunOptions, "input"> = {}): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [`${root}dist/cli/main.js`, ...args], { cwd, env: { ...process.env, ...env } });
}

/** Runs `tidemark` to its end. */
export async function tidemark(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const child = start(args, options);
  child.stdin.on("error", () => {
    // It has ended without reading all of its input, which is its right.
  });
  child.stdin.end(options.input ?? "");
  return ended(child);
}

/** Runs `tidemark` to a good end; what it said on stdout. A test that builds on a failed command would fail far from the cause. */
export async function done(args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await tidemark(args, options);
  if (code !== 0) throw new Error(`tidemark ${args.join(" ")} ended with ${code}: ${stderr}`);
  return stdout;
}

/** Everything that a started program says from now on, and how it ends. */
export async function ended(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  const [code] = (await once(child, "close")) as [number | null];
  const bytes = Buffer.concat(out);
  return { code, stdout: bytes.toString(), stderr: Buffer.concat(err).toString(), bytes };
}
