/**
 * Readers in processes of their own beside a writer that is killed twice, on the disk of this machine.
 *
 *     writer ─────────✂ SIGKILL ───────────✂ SIGKILL ────────── closes, says where everything ends
 *     two followers ───────────────────────────────────────────────────▶ read up to there
 *     a browser: open, look, close, open, …
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { root } from "../../layers/imports.js";
import { bundle } from "../bundle.js";

/** What a follower has seen. */
export interface FollowerFigures {
  readonly messages: number;
  readonly trims: number;
  readonly destroys: number;
}

/** What happened. */
export interface LiveFigures {
  readonly kills: number;
  readonly readers: readonly FollowerFigures[];
  /** Times that the store was opened, read and closed. */
  readonly browsings: number;
}

const programs = ["live-writer", "live-follower", "live-browser"] as const;
type Program = (typeof programs)[number];

interface Running {
  readonly child: ChildProcess;
  /** Its stdout; rejects with its stderr when it fails. */
  readonly end: Promise<string>;
}

/** Lets them live for so many milliseconds. Rejects with what a reader found wrong. */
export async function liveFor(milliseconds: number): Promise<LiveFigures> {
  const folder = await mkdtemp(join(tmpdir(), "tidemark-live-"));
  const children: Running[] = [];
  const run = (program: Program, ...args: readonly string[]): Running => {
    const running = start(join(folder, `${program}.mjs`), [`file://${root}dist/rocksmq/index.js`, join(folder, "store"), ...args]);
    children.push(running);
    return running;
  };
  try {
    for (const program of programs)
      await writeFile(join(folder, `${program}.mjs`), await bundle(join(import.meta.dirname, `${program}.ts`)));
    // Something to look at before the readers come.
    await run("live-writer", "50", "close").end;
    const readers = [run("live-follower"), run("live-follower")];
    const browser = run("live-browser");
    const ends = await Promise.race([lives(run, milliseconds), failureOf([...readers, browser])]);
    for (const { child } of [...readers, browser]) child.stdin?.write(ends);
    const said = await Promise.all(readers.map(({ end }) => end));
    return { kills: 2, readers: said.map((one) => JSON.parse(one) as FollowerFigures), browsings: Number(await browser.end) };
  } finally {
    for (const { child } of children) child.kill("SIGKILL");
    await Promise.allSettled(children.map(({ end }) => end));
    await rm(folder, { recursive: true, force: true });
  }
}

/** The writer's three lives; what the last one says. */
async function lives(run: (program: Program, ...args: string[]) => Running, milliseconds: number): Promise<string> {
  for (const how of ["kill", "kill"]) {
    const { child, end } = run("live-writer", String(milliseconds / 3), how);
    await end.catch((error: unknown) => {
      if (child.signalCode !== "SIGKILL") throw error;
    });
  }
  return run("live-writer", String(milliseconds / 3), "close").end;
}

/** Never resolves: rejects when one of them ends badly. */
function failureOf(running: readonly Running[]): Promise<never> {
  return new Promise((_, reject) => {
    for (const { end } of running) end.catch(reject);
  });
}

function start(path: string, args: readonly string[]): Running {
  const child = spawn(process.execPath, [path, ...args], { stdio: "pipe" });
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  const end = ended.then(([stdout, stderr]) => {
    if (child.exitCode === 0) return stdout;
    throw new Error(`${path} ended with ${child.exitCode ?? child.signalCode}: ${stderr || stdout}`);
  });
  end.catch(() => undefined);
  return { child, end };
}
