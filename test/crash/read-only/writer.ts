/**
 * A process that writes: makes and destroys channels, produces, trims, meets a full disk, closes and opens again. It keeps its books.
 */
import { isTidemarkError } from "../../../src/base/errors.js";
import { silentLogger } from "../../../src/base/logger.js";
import { noMetrics } from "../../../src/base/metrics.js";
import { openSegmentEngine, type Engine } from "../../../src/storage/index.js";
import { ManualClock, type MemoryVfs } from "../../../src/testing/index.js";
import type { SeededRandom } from "../../../src/testing/seeded-random.js";
import { directory } from "../script-run.js";
import { readEngine } from "../engine-state.js";
import { payloadOf, tagOf } from "../store-state.js";
import { Actor, splitAtRandom, type Split } from "./actor.js";
import { tell, type Books, type Life } from "./books.js";

const names = ["a", "b", "c"];
const refusals: ReadonlySet<string> = new Set(["disk-full", "channel-not-found", "channel-exists"]);

/**
 * What a writer is like. "full disk": every other group finds no room, and leaves a part of itself to be seen. "forgetful": trims nearly all that it
 * has written, so that segments go as fast as they come. "tidy": takes its time, so that what lives in mostly dead segments is copied forward.
 */
export type Habit = "any" | "full disk" | "forgetful" | "tidy";

/** The frames of a "full disk" are all of one size. */
const frameBytes = 96;

/** Where reads and writes are interrupted beside such a writer. */
export function splitOf(habit: Habit, random: SeededRandom): Split {
  return splitAtRandom(random, habit === "full disk" ? frameBytes : 8);
}

/** What a writer's life is made of. */
export interface WriterOptions {
  readonly habit: Habit;
  readonly disk: MemoryVfs;
  readonly books: Books;
  readonly random: SeededRandom;
  /** How many things it does. */
  readonly rounds: number;
}

/** One life of a writer, from its open to its end. */
export class Writer {
  readonly actor: Actor;
  readonly #o: WriterOptions;
  readonly #clock = new ManualClock(1000);
  #engine: Engine | undefined;

  constructor(o: WriterOptions) {
    this.#o = o;
    this.actor = new Actor("writer", o.disk, splitOf(o.habit, o.random));
    this.actor.begin(() => this.#live());
  }

  async #live(): Promise<void> {
    await this.#open();
    for (let round = 0; round < this.#o.rounds; round++) await this.#round();
    await this.#engine?.close();
  }

  async #open(): Promise<void> {
    const how = { ids: "internal", durability: "sync", segmentBytes: 1024, prefill: "off" } as const;
    const world = { clock: this.#clock, vfs: this.actor.vfs, metrics: noMetrics, logger: silentLogger };
    const open = (): Promise<Engine> => openSegmentEngine({ dir: directory, ...how, ...world });
    // The disk may be full just then.
    this.#engine = await open().catch(open);
    await this.#settleBooks(this.#engine);
    this.#o.books.opened = true;
  }

  /** What the last life was not told, it finds. */
  async #settleBooks(engine: Engine): Promise<void> {
    const { channels } = await readEngine(engine);
    for (const [name, lives] of this.#o.books.lives) {
      const found = channels.get(name);
      const firstId = engine.channel(name)?.firstId;
      const here = firstId === undefined ? undefined : this.#o.books.beginningAt(name, firstId);
      for (const life of lives) {
        if (life.created === "refused" || life.destroyed === "acked") continue;
        const isHere = life === here;
        if (life.created === "called") life.created = isHere ? "acked" : "refused";
        if (isHere && firstId !== undefined) life.firstId = firstId;
        if (life.destroyed === "called") life.destroyed = isHere ? undefined : "acked";
        if (isHere && found !== undefined) settleLife(life, found);
      }
    }
  }

  #round(): Promise<void> {
    return this.#o.habit === "full disk" ? this.#fullDiskRound() : this.#anyRound();
  }

  /** Two frames of one size in one group; only the beginning of it finds room. Then the same again, with room. */
  async #fullDiskRound(): Promise<void> {
    const { books, disk } = this.#o;
    const [a, b] = [books.current("a"), books.current("b")];
    if (a === undefined || b === undefined) {
      await Promise.all([this.#create("a"), this.#create("b")]);
      return;
    }
    const group = (): Promise<unknown> => Promise.all([this.#produce(a, 1, 24), this.#produce(b, 1, 24)]);
    disk.failNext({ op: "write", after: 1, code: "ENOSPC", path: /\.seg$/ });
    await group();
    await group();
    await group();
  }

  async #anyRound(): Promise<void> {
    const { random, disk } = this.#o;
    if (random.chance(0.05)) {
      await this.#engine?.close();
      return this.#open();
    }
    if (random.chance(0.1)) disk.failNext({ op: "write", after: random.below(3), code: "ENOSPC", path: /\.seg$/ });
    if (this.#o.habit === "tidy") await this.#clock.advance(random.pick([0, 150, 2100]));
    else if (random.chance(0.1)) await this.#clock.advance(random.pick([20, 150, 1500]));
    const calls = Array.from({ length: 1 + random.below(4) }, (_, at) => this.#call(names[(at + random.below(2)) % 3] ?? "a"));
    await Promise.all(calls);
  }

  async #call(name: string): Promise<void> {
    const { books, random } = this.#o;
    const life = books.current(name);
    const kind = random.below(16);
    if (life === undefined) return this.#create(name);
    // Of a life that was made by a call still under way nothing can be asked yet.
    if (life.created === "called") return;
    if (kind === 0) return this.#destroy(life);
    if (kind <= (this.#o.habit === "forgetful" ? 8 : 3)) return this.#trim(life);
    const count = 1 + random.below(3);
    return this.#produce(life, count, random.pick([24, 24, 40, 120, 400]));
  }

  async #create(name: string): Promise<void> {
    const life = this.#o.books.begin(name);
    const firstId = await this.#ask((engine) => engine.write((draft) => draft.createChannel(name).firstId));
    life.created = firstId === undefined ? "refused" : "acked";
    if (firstId !== undefined) life.firstId = firstId;
  }

  async #destroy(life: Life): Promise<void> {
    if (life.batches.some(({ told }) => told === "called") || life.destroyed !== undefined) return;
    life.destroyed = "called";
    const done = await this.#ask(async (engine) => {
      await engine.write((draft) => draft.destroyChannel(life.name));
      return true;
    });
    life.destroyed = done === undefined ? undefined : "acked";
  }

  async #trim(life: Life): Promise<void> {
    const { random } = this.#o;
    const acked = life.batches.filter(({ told }) => told === "acked");
    const batch = acked[random.below(acked.length + 1)] ?? acked.at(-1);
    if (batch?.firstId === undefined) return;
    const beforeId = batch.firstId + BigInt(random.below(batch.tags.length) + 1);
    const view = this.#engine?.channel(life.name);
    if (view === undefined || life.trims.some((trim) => trim.beforeId >= beforeId)) return;
    const trim = { beforeId, told: "called" as "called" | "acked" | "refused" };
    life.trims.push(trim);
    const done = await this.#ask(async (engine) => {
      await engine.write((draft) => draft.trim(life.name, beforeId));
      return true;
    });
    trim.told = done === undefined ? "refused" : "acked";
  }

  async #produce(life: Life, count: number, size: number): Promise<void> {
    const tags = Array.from({ length: count }, () => tagOf(life.name, (this.#o.books.messages += 1), size));
    const batch = { tags, told: "called" as const, seen: false };
    life.batches.push(batch);
    const messages = tags.map((tag) => ({ payload: payloadOf(tag) }));
    const appended = await this.#ask((engine) => engine.write((draft) => draft.append(life.name, messages)));
    if (appended === undefined) return tell(batch, "refused");
    tell(batch, "acked", appended.firstId);
    for (const [at, tag] of tags.entries()) this.#o.books.note(life.name, { id: appended.firstId + BigInt(at), tag });
  }

  /** Undefined when it was refused: for want of space, or because a call before it was. */
  async #ask<T>(call: (engine: Engine) => Promise<T>): Promise<T | undefined> {
    if (this.#engine === undefined) throw new Error("it is not open");
    try {
      return await call(this.#engine);
    } catch (error) {
      if (isTidemarkError(error) && refusals.has(error.code) && error.effect === "none") return undefined;
      throw error;
    }
  }
}

function settleLife(
  life: Life,
  found: { readonly beginId: bigint; readonly messages: readonly { readonly id: bigint; readonly tag: string }[] },
): void {
  for (const trim of life.trims) if (trim.told === "called") trim.told = found.beginId >= trim.beforeId ? "acked" : "refused";
  for (const batch of life.batches) {
    if (batch.told !== "called") continue;
    const there = found.messages.find(({ tag }) => tag === batch.tags[0]);
    tell(batch, there === undefined ? "refused" : "acked", there?.id);
  }
}
