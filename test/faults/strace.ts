/**
 * Programs under strace: which system calls they made, in which order, on which files; and faults put into them.
 *
 *     12960 fdatasync(25</tmp/q/0000000001.seg> <unfinished ...>      begins
 *     12949 write(1</tmp/out>, "acked 0 470…"..., 27) = 27            begins and ends
 *     12960 <... fdatasync resumed>) = 0                              ends
 *
 * A thread that strace has not let go on can't have told anybody what its call returned: so the order of lines is an order of cause and effect.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** One system call. `began` and `ended` are lines of the trace. */
export interface SystemCall {
  readonly thread: number;
  readonly name: string;
  /** As strace shows them. */
  readonly args: string;
  readonly began: number;
  readonly ended: number;
  /** NaN when it never returned. */
  readonly result: number;
  readonly injected: boolean;
}

/** How a program ended under strace. */
export interface Traced {
  readonly code: number | null;
  /** What it said on stdout, by lines. */
  readonly said: readonly string[];
  readonly stderr: string;
  readonly calls: readonly SystemCall[];
}

/** Why nothing can be traced here; undefined when it can. */
export function whyNoStrace(): string | undefined {
  const { error, status, stderr } = spawnSync("strace", ["-f", "-o", "/dev/null", "true"], { encoding: "utf8" });
  if (error !== undefined) return "there is no strace (apt-get install strace)";
  return status === 0 ? undefined : `strace may not trace here: ${stderr.trim()}`;
}

/** A program that takes longer hangs: nothing here waits for anything but a disk. */
const longestMs = 30_000;

/** Runs a program of programs/ to its end, or kills it (code null) when it hangs. `trace` and `inject` are strace's own words. */
export async function runTraced(
  program: string,
  config: Readonly<Record<string, unknown>>,
  { trace, inject }: { readonly trace: string; readonly inject?: string | undefined },
): Promise<Traced> {
  const place = mkdtempSync(join(tmpdir(), "tidemark-strace-"));
  const log = join(place, "trace");
  const faults = inject === undefined ? [] : ["-e", `inject=${inject}`];
  const path = new URL(`programs/${program}.mjs`, import.meta.url).pathname;
  const args = ["-f", "-y", "-s", "64", "-o", log, "-e", `trace=${trace}`, ...faults, process.execPath, path, JSON.stringify(config)];
  try {
    // Calls by way of a ring would be invisible.
    const env = { ...process.env, UV_USE_IO_URING: "0" };
    // Killed alone, strace would leave its program behind: they get a process group.
    const child = spawn("strace", args, { stdio: ["ignore", "pipe", "pipe"], env, detached: true });
    const patience = AbortSignal.timeout(longestMs);
    patience.onabort = () => child.exitCode === null && child.pid !== undefined && process.kill(-child.pid, "SIGKILL");
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const [code] = (await once(child, "close")) as [number | null];
    patience.onabort = null;
    return { code, said: stdout.split("\n").filter((line) => line !== ""), stderr, calls: parseTrace(readFileSync(log, "utf8")) };
  } finally {
    rmSync(place, { recursive: true });
  }
}

/** In the order in which they began. */
export function parseTrace(text: string): SystemCall[] {
  const calls: { -readonly [Key in keyof SystemCall]: SystemCall[Key] }[] = [];
  const open = new Map<number, (typeof calls)[number]>();
  for (const [at, line] of text.split("\n").entries()) {
    const [, thread = "", resumed, begun, rest = ""] = /^(\d+) +(?:<\.\.\. (\w+) resumed>|(\w+)\()(.*)$/.exec(line) ?? [];
    const end = /^(.*)\) += (-?\d+|\?)(.*)$/.exec(rest);
    const call = resumed === undefined ? undefined : open.get(Number(thread));
    if (begun !== undefined) {
      const args = (end?.[1] ?? rest).replace(/ <unfinished \.\.\.>$/, "");
      const made = { thread: Number(thread), name: begun, args, began: at, ended: Infinity, result: NaN, injected: false };
      calls.push(made);
      if (end === null) open.set(made.thread, made);
      else finish(made, at, end);
    }
    if (call !== undefined && end !== null) {
      call.args += end[1] ?? "";
      finish(call, at, end);
      open.delete(call.thread);
    }
  }
  return calls;
}

function finish(call: { ended: number; result: number; injected: boolean }, at: number, end: RegExpExecArray): void {
  call.ended = at;
  call.result = Number(end[2]);
  call.injected = (end[3] ?? "").includes("(INJECTED)");
}

/** The path behind the descriptor that a call's arguments begin with. */
export function pathOf({ args }: SystemCall): string {
  return /^(?:AT_FDCWD|\d+)<([^>]*)>/.exec(args)?.[1] ?? "";
}
