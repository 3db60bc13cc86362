/**
 * Cuts a scripted run after every operation on the disk, in every way, and looks at what is left.
 *
 *     script   ──op──op──op──op──✂            every cut; a write also by half
 *                                ├─ kill      the page cache stays             ─┐  open, compare with the model,
 *                                ├─ power     policy and seed say what stays   ─┤  and again: from each of these disks
 *                                └─ power     …                                ─┘  the same for a shorter script
 *
 * The disk of each cut is opened and compared; then it is the start of another script whose first step is that very recovery, which is
 * cut in the same way. So recovery is cut at each of its own operations, and what it found must still be there, the same.
 *
 * One seed decides everything; a fault says where it was found, and `SEED=` finds it again.
 */
import { MemoryVfs, type SurvivalPolicy } from "../../src/testing/index.js";
import { SeededRandom } from "../../src/testing/seeded-random.js";
import { FaultFound } from "./fault-found.js";
import { History, type Cut } from "./history.js";
import { IdLedger } from "./id-ledger.js";
import { settled } from "./patience.js";
import type { Script, ScriptRun, Start } from "./script-run.js";
import { emptyState, type StoreState } from "./store-state.js";

/** How thoroughly one level is explored. */
export interface Level<R> {
  readonly script: Script<R>;
  /** Every such operation is a cut: 1 for all, Infinity for none. */
  readonly stride: number;
  /** Only cuts just before an operation ("sync store/…") that matches. Default: all. */
  readonly before?: RegExp | undefined;
  /** Power cuts tried at each cut, besides the kill. */
  readonly powerCuts: number;
  /** What they leave. Default: each its own. */
  readonly policy?: SurvivalPolicy | undefined;
}

/** What was explored. */
export interface Figures {
  cuts: number;
  /** Disks that were opened after a cut and compared with the model. */
  recoveries: number;
  /** Openings in all, those that were cut included. */
  opens: number;
}

/** What a cut has left, opened once: another run may begin there. */
interface Found extends Start {
  readonly state: StoreState;
}

/** Explores one store's behaviour under cuts. Its figures are those of all its explorations. */
export class Explorer<R extends ScriptRun> {
  readonly figures: Figures;
  readonly #seed: number;
  readonly #newRun: (script: Script<R>, start: Start) => R;

  /** @param figures to go on counting in */
  constructor(newRun: (script: Script<R>, start: Start) => R, seed: number, figures: Figures = { cuts: 0, recoveries: 0, opens: 0 }) {
    this.figures = figures;
    this.#seed = seed;
    this.#newRun = newRun;
  }

  /** Explores the first level's script from an empty disk, and each further level's from every disk that the one before has left. */
  async explore(levels: readonly Level<R>[]): Promise<Figures> {
    await this.#explore(
      { disk: new MemoryVfs(this.#seed), history: new History(emptyState), ids: new IdLedger(), cacheIsTrue: true, messages: 0 },
      levels,
      `SEED=${this.#seed}`,
    );
    return this.figures;
  }

  /** Lives one after the other on one disk, each cut somewhere and gone on from what the cut has left. */
  async walk(lives: number, scriptOf: (seed: number) => Script<R>): Promise<Figures> {
    const random = new SeededRandom(this.#seed);
    let start: Start = this.#nothing();
    let where = `SEED=${this.#seed}`;
    for (let life = 0; life < lives; life += 1) {
      const script = scriptOf(random.bits());
      const [cut, torn, power] = [random.below(140), random.chance(0.3), random.chance(0.6)];
      where = `${where} > ${script.name} cut ${torn ? "in" : "after"} operation ${cut}`;
      const run = await this.#at(where, () => this.#run(start, script, cut, torn));
      this.figures.cuts += 1;
      const killed = await this.#recovered(run, run.vfs.kill(), "kill", `${where}, killed`);
      run.ids.seen(killed.state);
      where = `${where}, ${power ? "power cut" : "killed"}`;
      start = power ? await this.#recovered(run, run.vfs.crash({ seed: random.bits() }), "power", where) : killed;
    }
    return this.figures;
  }

  #nothing(): Start {
    return { disk: new MemoryVfs(this.#seed), history: new History(emptyState), ids: new IdLedger(), cacheIsTrue: true, messages: 0 };
  }

  async #explore(start: Start, levels: readonly Level<R>[], where: string): Promise<void> {
    const [level, ...deeper] = levels;
    if (level === undefined) return;
    const whole = await this.#at(`${where} > ${level.script.name}, whole`, () => this.#run(start, level.script, Infinity, false));
    const operations = whole.vfs.operations;
    // The stride's phase differs from level to level and from start to start, so that sampled runs see all cuts in the end.
    for (let cut = this.#phase(where, level.stride); cut <= operations; cut += level.stride) {
      const next = whole.operationAt(cut + 1) ?? "end";
      if (level.before !== undefined && !level.before.test(next)) continue;
      for (const torn of next.startsWith("write ") ? [false, true] : [false]) {
        const place = `${where} > ${level.script.name} cut ${torn ? "in" : "after"} operation ${cut}`;
        const run = await this.#at(place, () => this.#run(start, level.script, cut, torn));
        await this.#afterCut(run, level, deeper, place);
      }
    }
  }

  async #afterCut(run: R, level: Level<R>, deeper: readonly Level<R>[], where: string): Promise<void> {
    this.figures.cuts += 1;
    const killed = await this.#recovered(run, run.vfs.kill(), "kill", `${where}, killed`);
    // Whoever read beside the writer has seen this; power may take it away again, but its ids are used.
    run.ids.seen(killed.state);
    await this.#explore(killed, deeper, `${where}, killed`);
    for (let n = 0; n < level.powerCuts; n += 1) {
      const seed = (this.#seed * 7919 + n * 104_729 + this.figures.cuts) >>> 0;
      const place = `${where}, power cut ${n}`;
      const found = await this.#recovered(run, run.vfs.crash({ seed, policy: level.policy }), "power", place);
      await this.#explore(found, deeper, place);
    }
  }

  /** Opens a copy of the disk and compares what it shows with what may be there. */
  async #recovered(run: R, disk: MemoryVfs, cut: Cut, where: string): Promise<Found> {
    this.figures.recoveries += 1;
    return this.#at(where, async () => {
      const state = await this.#stateOn(disk, run);
      // A cache that a failed sync has spoiled is worth no more than the disk.
      const objection = run.history.objection(state, run.cacheIsTrue ? cut : "power");
      if (objection !== undefined) throw new FaultFound(objection);
      const ids = run.ids.copy();
      ids.seen(state);
      const { cacheIsTrue, messages } = run;
      return {
        disk,
        state,
        history: run.history.after(cut, state, cacheIsTrue),
        ids,
        cacheIsTrue: cut === "power" || cacheIsTrue,
        messages,
      };
    });
  }

  async #stateOn(disk: MemoryVfs, run: ScriptRun): Promise<StoreState> {
    this.figures.opens += 1;
    const state = await settled(run.peek(disk));
    if (state === undefined) throw new Error("opening was halted, which nobody asked for");
    return state;
  }

  async #run(start: Start, script: Script<R>, cut: number, torn: boolean): Promise<R> {
    const run = this.#newRun(script, start);
    void run.vfs.haltAfter(cut, { torn });
    const all = async (): Promise<void> => {
      await run.open();
      await script.steps(run);
      await run.finish();
    };
    await settled(all(), () => run.vfs.halted);
    this.figures.opens += run.opens;
    return run;
  }

  /** Says where it was, if `work` finds fault. */
  async #at<T>(where: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const what = error instanceof Error ? (error instanceof FaultFound ? error.message : (error.stack ?? error.message)) : String(error);
      throw new FaultFound(`${where}:\n${what}`, { cause: error });
    }
  }

  #phase(where: string, stride: number): number {
    let hash = this.#seed;
    for (const character of where) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
    return stride === Infinity ? Infinity : hash % stride;
  }
}
