/**
 * Gives out ticks to many callers, in the order they came, and renews the window when one needs more.
 *
 *     caller ─▶ in the window? ─ yes ─▶ its ticks, at once
 *                  │ no, or others are in line
 *                  ▼
 *               line: A, B, C ─▶ renewal (stored, durable) ─▶ A, B, C
 *
 * Ticks are never given out before the window that holds them is stored; whoever is answered later has greater ones.
 */
import { heedAbort, ignoreAbort } from "../../base/abort-ears.js";
import type { Abortable, Closable } from "../../base/closable.js";
import type { Clock } from "../../base/clock.js";
import { Deferred } from "../../base/deferred.js";
import { TidemarkError } from "../../base/errors.js";
import { StoredWindow, type WindowPlace } from "./stored-window.js";
import { type Reach, TickWindow } from "./tick-window.js";

/** What a source is opened with; all of it checked. */
export interface TickSourceOptions extends WindowPlace {
  readonly clock: Clock;
  /** See `TickWindow`. */
  readonly mayPassLimit: boolean;
}

/** Somebody in line. */
interface Waiter {
  readonly count: number;
  /** What it is answered with; undefined while the window is too small for it. */
  readonly take: (nowMs: number) => bigint | undefined;
  readonly admit: (last: bigint) => void;
  readonly refuse: (reason: unknown) => void;
}

/** An open line of ticks. */
export class TickSource implements Closable {
  readonly #clock: Clock;
  readonly #name: string;
  readonly #window: TickWindow;
  readonly #stored: StoredWindow;
  /** In the order they came. Served until it is empty. */
  readonly #line: Waiter[] = [];
  #isServing = false;
  /** Resolves when the line is empty again. Never rejects. */
  #served: Promise<void> = Promise.resolve();
  #closed = false;

  private constructor(options: TickSourceOptions, stored: StoredWindow, reach: Reach) {
    this.#clock = options.clock;
    this.#name = options.name;
    this.#window = new TickWindow(reach, options);
    this.#stored = stored;
  }

  /** @throws what `StoredWindow.open` throws */
  static async open(options: TickSourceOptions): Promise<TickSource> {
    const { window, reach } = await StoredWindow.open(options);
    return new TickSource(options, window, reach);
  }

  /** The last tick given out, or that an earlier opener may have given out. */
  get last(): bigint {
    return this.#window.last;
  }

  /**
   * Resolves with the last of `count` consecutive ticks.
   *
   * @throws `overloaded`; `conflict`; `closed`; what the store throws, and then the numbers are nobody's; the signal's reason while in line
   */
  take(count: number, options: Abortable = {}): Promise<bigint> {
    return this.#ask(count, (nowMs) => this.#window.take(count, nowMs), options);
  }

  /** Resolves once at least half of a window is ahead of the clock. Throws as `take`. */
  async refresh(): Promise<void> {
    await this.#ask(0, (nowMs) => (this.#window.isFresh(nowMs) ? this.#window.last : undefined), {});
  }

  /** Resolves once all who asked before are answered. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#served;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Both ways resolve in the same number of turns, so that the order of answers is the order of ticks. */
  #ask(count: number, take: Waiter["take"], { signal }: Abortable): Promise<bigint> {
    try {
      signal?.throwIfAborted();
      if (this.#closed) throw new TidemarkError("closed", `the ${this.#name} is closed: open it again to go on`, {});
      const taken = this.#line.length === 0 ? take(this.#clock.nowMs()) : undefined;
      return taken === undefined ? this.#wait({ count, take }, signal) : Promise.resolve(taken);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #wait(wish: Pick<Waiter, "count" | "take">, signal: AbortSignal | undefined): Promise<bigint> {
    const answer = new Deferred<bigint>();
    const leave = (): void => {
      this.#line.splice(this.#line.indexOf(waiter), 1);
      answer.reject(signal?.reason);
    };
    const settle = (how: () => void): void => {
      ignoreAbort(signal, leave);
      how();
    };
    const admit = (last: bigint): void => settle(() => answer.resolve(last));
    const waiter: Waiter = { ...wish, admit, refuse: (reason) => settle(() => answer.reject(reason)) };
    heedAbort(signal, leave);
    this.#line.push(waiter);
    if (!this.#isServing) this.#served = this.#serve();
    return answer.promise;
  }

  async #serve(): Promise<void> {
    this.#isServing = true;
    for (let head = this.#line[0]; head !== undefined; head = this.#line[0]) {
      const plan = this.#answer(head);
      if (plan !== undefined) await this.#renew(plan);
    }
    this.#isServing = false;
  }

  /** Answers the head of the line, and takes it out; or says what has to be stored first. */
  #answer(head: Waiter): Reach | undefined {
    try {
      const nowMs = this.#clock.nowMs();
      const taken = head.take(nowMs);
      if (taken === undefined) return this.#window.plan(head.count, nowMs);
      head.admit(taken);
    } catch (error) {
      // It alone asks too much: those behind may have what they ask for.
      head.refuse(error);
    }
    this.#line.shift();
    return undefined;
  }

  async #renew(plan: Reach): Promise<void> {
    try {
      this.#window.renewed(await this.#stored.advance(plan));
    } catch (error) {
      // All of them waited for this write. Whoever comes later tries another.
      for (const waiter of this.#line.splice(0)) waiter.refuse(error);
    }
  }
}
