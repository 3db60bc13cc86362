/**
 * Runs of a writer with readers beside it, in an order that a seed decides: who is let through its gate next, when the writer is killed for good, when
 * the power goes.
 */
import { MemoryVfs } from "../../../src/testing/index.js";
import { SeededRandom } from "../../../src/testing/seeded-random.js";
import { FaultFound } from "../fault-found.js";
import { Books } from "./books.js";
import { Reader, type ReadingRoom } from "./reader.js";
import { splitOf, Writer, type Habit } from "./writer.js";

/** What was run. */
export interface Figures {
  runs: number;
  writerSteps: number;
  readerSteps: number;
  looks: number;
  kills: number;
  powerCuts: number;
}

/** No figures yet. */
export function noFigures(): Figures {
  return { runs: 0, writerSteps: 0, readerSteps: 0, looks: 0, kills: 0, powerCuts: 0 };
}

/** One run: three lives of a writer, two readers; then the power goes, and one life more. */
export async function interleave(room: ReadingRoom, seed: number, figures: Figures, habit: Habit = "any"): Promise<void> {
  const run = new Run(room, seed, figures, habit);
  try {
    await run.all();
  } catch (error) {
    const what = error instanceof FaultFound ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
    throw new FaultFound(`SEED=${seed} (${habit}): ${what}`, { cause: error });
  }
  figures.runs += 1;
}

/** The first fault within so many runs; undefined when the build seems sound. */
export async function findFault(room: ReadingRoom, habit: Habit, runs: number): Promise<string | undefined> {
  for (let seed = 1; seed <= runs; seed++) {
    try {
      await interleave(room, seed, noFigures(), habit);
    } catch (error) {
      if (error instanceof FaultFound) return error.message;
      throw error;
    }
  }
  return undefined;
}

class Run {
  readonly #room: ReadingRoom;
  readonly #random: SeededRandom;
  readonly #figures: Figures;
  readonly #habit: Habit;
  readonly #books = new Books();
  #disk: MemoryVfs;
  #readers: Reader[] = [];

  constructor(room: ReadingRoom, seed: number, figures: Figures, habit: Habit) {
    this.#room = room;
    this.#random = new SeededRandom(seed);
    this.#figures = figures;
    this.#habit = habit;
    this.#disk = new MemoryVfs(seed);
    this.#newReaders();
  }

  async all(): Promise<void> {
    for (let life = 0; life < 3; life++) await this.#life(8, life === 2 ? 0 : 0.7);
    await this.#lastLook();
    this.#disk = this.#disk.crash();
    this.#figures.powerCuts += 1;
    this.#books.forgetSeen();
    this.#newReaders();
    await this.#life(3, 0);
    await this.#lastLook();
  }

  #newReaders(): void {
    const shared = { books: this.#books, disk: this.#disk, room: this.#room };
    this.#readers = [1, 2].map(() => new Reader({ ...shared, split: splitOf(this.#habit, new SeededRandom(this.#random.bits())) }));
  }

  /** One life of a writer, to its end or until it is killed, between two of its operations or in the middle of a write. */
  async #life(rounds: number, killed: number): Promise<void> {
    const random = new SeededRandom(this.#random.bits());
    const writer = new Writer({ disk: this.#disk, books: this.#books, random, rounds, habit: this.#habit });
    const killAt = this.#random.chance(killed) ? this.#random.below(150) : Infinity;
    // Readers that look seldom lag behind by whole segments; those that look always see every state.
    const diligence = this.#random.pick([0.05, 0.3, 0.5, 0.8]);
    while (!writer.actor.isIdle && writer.actor.steps < killAt) {
      if (this.#random.chance(diligence)) await this.#readerSteps(this.#burst());
      else
        for (
          let steps = this.#burst(this.#habit === "forgetful");
          steps > 0 && !writer.actor.isIdle && writer.actor.steps < killAt;
          steps--
        )
          await writer.actor.step();
    }
    if (!writer.actor.isIdle) this.#figures.kills += 1;
    this.#figures.writerSteps += writer.actor.steps;
  }

  async #readerSteps(steps: number): Promise<void> {
    const reader = this.#random.pick([this.#readers[0] ?? fail(), this.#readers[1] ?? fail()]);
    for (let left = steps; left > 0; left--) {
      if (reader.actor.isIdle) this.#begin(reader);
      await reader.actor.step();
    }
  }

  #begin(reader: Reader): void {
    const what = this.#random.below(reader === this.#readers[0] ? 12 : 3);
    if (what === 0) reader.beginAnew();
    else if (what === 1) reader.beginInspection();
    else reader.begin();
  }

  /** Nobody writes any more: all that was acked is there for everybody. */
  async #lastLook(): Promise<void> {
    for (const reader of this.#readers) {
      await reader.actor.finish();
      for (const begin of [() => reader.begin(), () => reader.beginAnew(), () => reader.beginInspection()]) {
        begin();
        await reader.actor.finish();
      }
      this.#figures.looks += reader.looks;
      this.#figures.readerSteps += reader.actor.steps;
    }
  }

  /** Mostly a few operations, sometimes many. */
  #burst(isFast = false): number {
    return this.#random.chance(isFast ? 0.6 : 0.2) ? 1 + this.#random.below(60) : 1 + this.#random.below(4);
  }
}

function fail(): never {
  throw new Error("there are two readers");
}
