/**
 * A life of many crashes for whoever gives out ticks: callers beside each other, a clock that jumps, and a process that is killed or loses power
 * at any moment, also in the middle of a write.
 */
import { EngineMetaStore } from "../../src/meta/embedded/engine-meta-store.js";
import type { Closable } from "../../src/base/closable.js";
import type { Clock } from "../../src/base/clock.js";
import type { MetaStore } from "../../src/meta/index.js";
import { ManualClock, MemoryVfs } from "../../src/testing/index.js";
import { SeededRandom } from "../../src/testing/seeded-random.js";
import { openMetaEngine } from "./meta-engine.js";

/** An oracle or an allocator, as far as its numbers go. */
export interface Source extends Closable {
  /** The last of the next `count`. */
  take(count: number): Promise<bigint>;
}

/** What is to happen. */
export interface Plan {
  readonly open: (options: { meta: MetaStore; clock: Clock }) => Promise<Source>;
  readonly seed: number;
  readonly callers: number;
  readonly crashes: number;
  /** How many numbers are to be given out in all, at least. */
  readonly numbers: number;
}

/** What happened. */
export interface Figures {
  numbers: number;
  crashes: number;
  /** Crashes that came in the middle of a write. */
  inWrites: number;
  jumps: number;
  /** Of them, those to an earlier time. */
  jumpsBack: number;
  /** Numbers that were not above all before them. */
  back: number;
  /** The most that a number was ahead of the highest clock seen. */
  aheadMs: number;
}

const dayMs = 86_400_000;

/** Lives through the plan. */
export async function liveThrough(plan: Plan): Promise<Figures> {
  const life = new Life(plan);
  while (life.figures.crashes < plan.crashes) await life.untilCrash();
  await life.toTheEnd();
  return life.figures;
}

class Life {
  readonly figures: Figures = { numbers: 0, crashes: 0, inWrites: 0, jumps: 0, jumpsBack: 0, back: 0, aheadMs: -Infinity };
  readonly #plan: Plan;
  readonly #random: SeededRandom;
  readonly #clock = new ManualClock();
  #vfs: MemoryVfs;
  /** The greatest number that was given out. */
  #last = 0n;
  #highestMs: number;

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#random = new SeededRandom(plan.seed);
    this.#vfs = new MemoryVfs(plan.seed);
    this.#highestMs = this.#clock.nowMs();
  }

  /** One life of the process, till it ends in a crash. */
  async untilCrash(): Promise<void> {
    const share = this.#plan.numbers / (this.#plan.crashes + 1);
    const due = this.figures.numbers + share / 2 + this.#random.below(share);
    // Half of the crashes are to come in the next write, after so many of its steps.
    const halted = this.#random.chance(0.5)
      ? () => this.#vfs.haltAfter(this.#random.below(3), { torn: this.#random.chance(0.5) })
      : undefined;
    await this.#live(due, halted);
    if (this.#vfs.halted) this.figures.inWrites += 1;
    this.#vfs = this.#random.chance(0.5) ? this.#vfs.kill() : this.#vfs.crash();
    this.figures.crashes += 1;
  }

  async toTheEnd(): Promise<void> {
    await this.#live(this.#plan.numbers, undefined);
  }

  async #live(due: number, halt: (() => Promise<void>) | undefined): Promise<void> {
    const clock = this.#clock;
    const engine = await openMetaEngine(this.#vfs, clock);
    const source = await this.#plan.open({ meta: new EngineMetaStore(engine), clock });
    let halted: Promise<"halted"> | undefined;
    const isOver = (): boolean => {
      if (this.figures.numbers < due || this.#vfs.halted) return this.#vfs.halted;
      if (halt === undefined) return true;
      // It needs a write to be stopped in, which a jump brings.
      halted ??= halt().then(() => "halted" as const);
      this.#jump(dayMs);
      return false;
    };
    const caller = async (): Promise<void> => {
      while (!isOver()) {
        const count = this.#random.chance(0.02) ? 1 + this.#random.below(300) : 1;
        const taken = source.take(count);
        // A call that a stopped process never answers must not keep us.
        const last = halted === undefined ? await taken : await Promise.race([taken, halted]);
        if (last !== "halted") this.#given(last, count);
        if (this.#random.chance(0.01)) this.#jump(this.#random.below(2 * dayMs) - dayMs);
      }
    };
    await Promise.all(Array.from({ length: this.#plan.callers }, caller));
  }

  #given(last: bigint, count: number): void {
    const first = last - BigInt(count) + 1n;
    if (first <= this.#last) this.figures.back += 1;
    this.#last = last;
    this.figures.numbers += count;
    const aheadMs = Number(last >> 18n) - this.#highestMs;
    if (aheadMs > this.figures.aheadMs) this.figures.aheadMs = aheadMs;
  }

  #jump(byMs: number): void {
    this.figures.jumps += 1;
    if (byMs < 0) this.figures.jumpsBack += 1;
    this.#clock.setNowMs(Math.max(0, this.#clock.nowMs() + byMs));
    this.#highestMs = Math.max(this.#highestMs, this.#clock.nowMs());
  }
}
