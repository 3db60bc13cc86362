/** SIGKILL for real: a writer into RocksDB is killed again and again, its store reopened and compared with what it had said. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openRocksMq } from "../../src/rocksmq/index.js";
import { SeededRandom } from "../../src/testing/seeded-random.js";
import { KillBooks } from "../crash/kill-books.js";
import { seedOf, tell } from "../crash/seed.js";
import { untilKilled } from "../crash/until-killed.js";
import { root } from "../layers/imports.js";

const rounds = 24;

it(
  `a writer killed ${rounds} times under load and in its opening has lost nothing acked, torn no batch and used no id twice`,
  { timeout: 300_000 },
  async () => {
    const seed = seedOf(1);
    const random = new SeededRandom(seed);
    const place = await mkdtemp(join(tmpdir(), "tidemark-rocksdb-kill-"));
    const dir = join(place, "queue");
    const books = new KillBooks();
    let killedInOpening = 0;
    try {
      for (let round = 1; round <= rounds; round += 1) {
        if (!(await oneLife({ dir, round, random, books }))) killedInOpening += 1;
        const mq = await openRocksMq({ dir, engine: "rocksdb" });
        await books.compare(mq);
        await mq.close();
      }
    } finally {
      await rm(place, { recursive: true, force: true });
    }

    tell("kills", { ...books.figures, killedInOpening, seed });
    expect(books.figures).toMatchObject({ rounds, lost: 0, torn: 0, repeatedIds: 0 });
    expect(books.figures.acked).toBeGreaterThan(500);
    expect(killedInOpening).toBeGreaterThan(0);
  },
);

interface Life {
  readonly dir: string;
  readonly round: number;
  readonly random: SeededRandom;
  readonly books: KillBooks;
}

/** Runs a writer until it is killed. Whether it got as far as having the store open. */
function oneLife({ dir, round, random, books }: Life): Promise<boolean> {
  const args = [join(root, "test", "rocksdb", "kill-writer.mjs"), dir, String(round), String(random.bits())];
  if (round % 3 === 0) args.push(String(random.below(200)));
  return untilKilled(args, { round, random, books });
}
