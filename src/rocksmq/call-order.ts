/**
 * Keeps the order of calls the order of effect.
 *
 * The engine runs changes in the order they are handed in, so most calls hand theirs in at once. Some can't: a seek must let the consumes
 * called before it have their messages first, a produce may wait for ids from outside. While one waits so, all calls after it line up:
 *
 *     seek (waits for a consume) ◀─ produce ◀─ trim ◀─ createChannel        then, in one turn: seek, produce, trim, createChannel
 *
 * Whoever reads must see the changes called before. `controlsBefore` is for those who can tell by themselves whether there is anything new to
 * read: it only waits for what changes more than the end of a channel. `caughtUp` waits for everything.
 */
import { heedAbort, ignoreAbort } from "../base/abort-ears.js";
import { broken } from "../base/assert.js";
import { isTidemarkError } from "../base/errors.js";
import { orAborted } from "../base/or-aborted.js";
import type { Draft, DraftChannel, Engine, MetaView, WriteOptions } from "../storage/index.js";

/** What a look at the state may ask for. */
export interface Observed {
  readonly meta: MetaView;
  channel(name: string): Pick<DraftChannel, "beginId" | "endId"> | undefined;
  channels(): Iterable<Pick<DraftChannel, "name">>;
}

/** What a change may have to wait for before it is handed in. */
export interface Turn<R> extends WriteOptions {
  /** What it resolves with goes to the change. When it rejects, so does the call, and nothing is done. */
  readonly after?: Promise<R> | undefined;
}

/** The line in front of an engine. */
export class CallOrder {
  readonly #engine: Engine;
  /** Resolves when the last one in line has handed in or given up; undefined when nobody waits. Never rejects. */
  #line: Promise<void> | undefined;
  /** Control changes called and not yet settled. */
  #controls = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Hands in a change in its turn; resolves as `Engine.write` does. */
  write<T, R = undefined>(change: (draft: Draft, ready?: R) => T, turn: Turn<R> = {}): Promise<T> {
    if (this.#line === undefined && turn.after === undefined) return this.#engine.write(change, turn);
    return this.#lineUp(change, turn);
  }

  /** As `write`, for what changes more than the end of a channel. */
  async control<T, R = undefined>(change: (draft: Draft, ready?: R) => T, turn: Turn<R> = {}): Promise<T> {
    this.#controls += 1;
    try {
      return await this.write(change, turn);
    } finally {
      this.#controls -= 1;
    }
  }

  /**
   * Looks at the state as it is after all calls before this one, and before all after it. `look` is given the committed state when nothing
   * is on its way, else the draft in its turn.
   */
  async observe<T>(look: (state: Observed) => T): Promise<T> {
    const before = this.caughtUp();
    // There are no drafts where nobody writes.
    if (this.#engine.readOnly) await before;
    if (before === undefined || this.#engine.readOnly) return look(committed(this.#engine));
    try {
      return await this.write((draft) => look({ meta: draft, channel: (name) => draft.channel(name), channels: () => draft.channels() }));
    } catch (error) {
      // A store that stopped has no turns any more, but what is stored may be looked at.
      if (isTidemarkError(error, "io-failed")) return look(committed(this.#engine));
      throw error;
    }
  }

  /** Undefined when no control change is on its way; else resolves once all changes called before this are settled. */
  controlsBefore(): Promise<void> | undefined {
    return this.#controls === 0 && this.#line === undefined ? undefined : this.caughtUp();
  }

  /** Undefined when no change is on its way; else resolves once all called before this are settled. */
  caughtUp(): Promise<void> | undefined {
    return this.#line === undefined ? this.#engine.settled() : this.#line.then(() => this.#engine.settled());
  }

  #lineUp<T, R>(change: (draft: Draft, ready?: R) => T, turn: Turn<R>): Promise<T> {
    const { signal } = turn;
    // What was given up must not wait in memory for a turn in which it will not run.
    let run = change;
    const letGo = (): void => {
      run = neverRun;
    };
    heedAbort(signal, letGo);
    const ready = Promise.allSettled([turn.after, this.#line]);
    const result = ready.then(([after]) => {
      ignoreAbort(signal, letGo);
      if (after.status === "rejected") throw reasonOf(after);
      // The change itself looks at the signal in its turn.
      return this.#engine.write((draft) => run(draft, after.value), turn);
    });
    // Registered behind the one above, so that whoever goes on from here comes after that write.
    const line = ready.then(() => {
      if (this.#line === line) this.#line = undefined;
    });
    this.#line = line;
    return orAborted(result, signal);
  }
}

function neverRun(): never {
  throw broken("a change that was given up is not run");
}

function committed(engine: Engine): Observed {
  return { meta: engine.meta, channel: (name) => engine.channel(name), channels: () => engine.channels() };
}

function reasonOf({ reason }: { readonly reason: unknown }): unknown {
  return reason;
}
