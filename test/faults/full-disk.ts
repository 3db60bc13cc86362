/** A life on a disk that is full again and again, on one of the hosts of the log. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect } from "vitest";
import { contradictions, reopen, saidWith } from "./found.js";
import { mountSmallDisk } from "./small-disk.js";

/** What came of it. */
export interface FullLife {
  readonly code: number | null;
  readonly stderr: string;
  readonly steps: readonly string[];
  readonly refusals: ReadonlySet<string>;
  readonly acked: number;
  readonly contradictions: readonly string[];
}

/** How it is lived. */
export interface FullLifeOptions {
  readonly host: string;
  readonly prefill: "auto" | "off";
  readonly megabytes: number;
  readonly producers: number;
  readonly warmUpMs: number;
}

/** In a process of its own; what it left is then compared with what it had said. */
export async function liveOnFullDisk({ host, prefill, megabytes, producers, warmUpMs }: FullLifeOptions): Promise<FullLife> {
  const disk = mountSmallDisk(`${megabytes}m`);
  try {
    const dir = join(disk.folder, "queue");
    const ballast = { ballast: join(disk.folder, "ballast"), ballastBytes: megabytes * 0.15e6 };
    const config = { host, bytes: 20_000, producers, warmUpMs, ...ballast, queue: { dir, prefill } };
    const path = new URL("programs/fill-up.mjs", import.meta.url).pathname;
    const child = spawn(process.execPath, [path, JSON.stringify(config)], { stdio: ["ignore", "pipe", "pipe"] });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const [code] = (await once(child, "close")) as [number | null];
    const said = stdout.split("\n");
    return {
      code,
      stderr,
      steps: saidWith("step", said).map((words) => words.join(" ")),
      refusals: new Set(saidWith("failed", said).map(([, ...outcome]) => outcome.join(" "))),
      acked: saidWith("acked", said).length,
      contradictions: contradictions(withoutTrimmed(said), await reopen(dir)),
    };
  } finally {
    disk.remove();
  }
}

/** What must come of it, whatever the host and the disk. */
export function expectGoodLife(life: FullLife): void {
  expect([life.code, life.stderr]).toEqual([0, ""]);
  expect(life.refusals).toEqual(new Set(["disk-full none backoff"]));
  expect(life.steps).toEqual([
    "full, with a ballast: disk-full none backoff",
    "read: all",
    "produce, the ballast gone: ok",
    "full, by itself: disk-full none backoff",
    "consume: ok",
    "produce, half of it trimmed: ok",
    "full, by itself: disk-full none backoff",
    "files without a use: at most one",
    "close: ok",
    "read: all",
    "seek: ok",
    "consume: ok",
    "produce, half of it trimmed: ok",
    "read: all",
  ]);
  expect(life.contradictions).toEqual([]);
}

/** What was trimmed need not be found. */
function withoutTrimmed(said: readonly string[]): string[] {
  const trimmed = saidWith("trimmed", said).map(([id]) => BigInt(id ?? 0));
  const begin = trimmed.reduce((most, id) => (id > most ? id : most), 0n);
  return said.filter((line) => !(line.startsWith("acked ") && BigInt(line.split(" ")[2] ?? 0) < begin));
}
