/**
 * SIGKILL for real: a writer under load is killed again and again, its store reopened and compared with what it had said.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { openRocksMq } from "../../src/rocksmq/index.js";
import { SeededRandom } from "../../src/testing/seeded-random.js";
import { bundle } from "./bundle.js";
import { KillBooks, type KillFigures } from "./kill-books.js";

const writer = fileURLToPath(new URL("kill-writer.ts", import.meta.url));

/** Kills a writer so many times; a third of the kills come while it opens. Rejects with the first fault. */
export async function killRounds(
  rounds: number,
  seed: number,
): Promise<KillFigures & { readonly killedInOpening: number; readonly seed: number }> {
  const random = new SeededRandom(seed);
  const place = await mkdtemp(join(tmpdir(), "tidemark-kill-"));
  const [program, dir] = [join(place, "writer.mjs"), join(place, "queue")];
  const books = new KillBooks();
  let killedInOpening = 0;
  process.stdout.write(`kills with SEED=${seed}\n`);
  try {
    await writeFile(program, await bundle(writer));
    for (let round = 1; round <= rounds; round += 1) {
      const inOpening = round % 3 === 0;
      const opened = await oneLife({ program, dir, round, random, books, inOpening });
      if (!opened) killedInOpening += 1;
      const mq = await openRocksMq({ dir });
      await books.compare(mq);
      await mq.close();
    }
  } finally {
    await rm(place, { recursive: true, force: true });
  }
  return { ...books.figures, killedInOpening, seed };
}

interface Life {
  readonly program: string;
  readonly dir: string;
  readonly round: number;
  readonly random: SeededRandom;
  readonly books: KillBooks;
  readonly inOpening: boolean;
}

/** Runs a writer until it is killed. Whether it got as far as having the store open. */
async function oneLife({ program, dir, round, random, books, inOpening }: Life): Promise<boolean> {
  const args = [program, dir, String(round), String(random.bits())];
  if (inOpening) args.push(String(random.below(60)));
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const gone = once(child, "exit");
  const enough = 1 + random.below(600);
  let lines = 0;
  let opened = false;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === "open") opened = true;
    books.note(line);
    lines += 1;
    if (lines === enough) child.kill("SIGKILL");
  }
  await gone;
  if (child.signalCode !== "SIGKILL") throw new Error(`round ${round}: the writer ended by itself, after ${lines} lines`);
  return opened;
}
