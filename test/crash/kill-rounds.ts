/**
 * SIGKILL for real: a writer under load is killed again and again, its store reopened and compared with what it had said.
 */
import { mkdtemp, open, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { LogHost } from "../../src/bench/figure.js";
import { openOn } from "../../src/bench/log-host.js";
import { SeededRandom } from "../../src/testing/seeded-random.js";
import { bundle } from "./bundle.js";
import { KillBooks, type KillFigures } from "./kill-books.js";
import { untilKilled } from "./until-killed.js";

const writer = fileURLToPath(new URL("kill-writer.ts", import.meta.url));
const thread = fileURLToPath(new URL("../../src/storage/segment/log-writer-thread.ts", import.meta.url));

/** Who is killed, and how often. */
export interface KillOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly host: LogHost;
  readonly prefill: "auto" | "off";
  /** "kept": with retention and compaction. */
  readonly space?: "kept" | undefined;
}

/** What came of it. */
export interface KillReport extends KillFigures {
  readonly killedInOpening: number;
  /** Kills that left a segment which was filled ahead and not yet used. */
  readonly filledAhead: number;
  readonly seed: number;
}

/** Kills a writer so many times; a third of the kills come while it opens. Rejects with the first fault. */
export async function killRounds({ rounds, seed, host, prefill, space }: KillOptions): Promise<KillReport> {
  const random = new SeededRandom(seed);
  const place = await mkdtemp(join(tmpdir(), "tidemark-kill-"));
  const [program, dir] = [join(place, "writer.mjs"), join(place, "queue")];
  const books = new KillBooks({ isKept: space === "kept" });
  let [killedInOpening, filledAhead] = [0, 0];
  process.stdout.write(`kills on the ${host} host, prefill ${prefill}, with SEED=${seed}\n`);
  try {
    await writeFile(program, await bundle(writer));
    await writeFile(join(place, "log-writer-thread.js"), await bundle(thread));
    await writeFile(join(place, "package.json"), JSON.stringify({ type: "module" }));
    for (let round = 1; round <= rounds; round += 1) {
      const inOpening = round % 3 === 0;
      const opened = await oneLife({ program, dir, round, random, books, inOpening, host, prefill, space });
      if (!opened) killedInOpening += 1;
      if (await hasUnusedSegment(dir)) filledAhead += 1;
      const mq = await openOn("inline", { dir });
      await books.compare(mq);
      await mq.close();
    }
  } finally {
    await rm(place, { recursive: true, force: true });
  }
  return { ...books.figures, killedInOpening, filledAhead, seed };
}

interface Life extends Pick<KillOptions, "host" | "prefill" | "space"> {
  readonly program: string;
  readonly dir: string;
  readonly round: number;
  readonly random: SeededRandom;
  readonly books: KillBooks;
  readonly inOpening: boolean;
}

/** Runs a writer until it is killed. Whether it got as far as having the store open. */
function oneLife({ program, dir, round, random, books, inOpening, host, prefill, space }: Life): Promise<boolean> {
  const args = [program, dir, String(round), String(random.bits()), host, prefill, space ?? "all"];
  if (inOpening) args.push(String(random.below(60)));
  return untilKilled(args, { round, random, books });
}

/** A file of zeros, or one without anything. */
async function hasUnusedSegment(dir: string): Promise<boolean> {
  const names = await readdir(dir).catch(() => []);
  for (const name of names.filter((one) => one.endsWith(".seg"))) {
    const file = await open(join(dir, name));
    try {
      const { buffer } = await file.read(Buffer.alloc(8), 0, 8, 0);
      if (buffer.every((byte) => byte === 0)) return true;
    } finally {
      await file.close();
    }
  }
  return false;
}
