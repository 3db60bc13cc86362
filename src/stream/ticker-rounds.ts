/**
 * Round after round: which channels want a tick, which tick each may have, written in one go.
 *
 *     wants one: work was stored, work is held back, somebody reads        nobody does: not even the oracle is asked
 *         └─▶ a fresh timestamp, one for all ─▶ each channel's ledger: the fresh one, or what its work allows ─▶ written ─▶ next round
 *
 * Rounds are never under way together: on every channel ticks are written in rising order.
 */
import { invalid } from "../base/arguments.js";
import type { Clock } from "../base/clock.js";
import { isTidemarkError, TidemarkError } from "../base/errors.js";
import { Mutex } from "../base/mutex.js";
import { type TimeTick, timeTickFrom } from "../message/index.js";
import { TickerLedger, type Work } from "./ticker-ledger.js";

/** Where ticks go, and who wants them. */
export interface TickOutlet {
  /** Resolves once each is durable at the end of its channel. */
  write(ticks: ReadonlyMap<string, TimeTick>): Promise<void>;
  /** Whether the channel got data, or had a reader, since the last call for it. */
  takeActive(channel: string): boolean;
  close(): Promise<void>;
}

/** What rounds are made of. */
export interface TickerParts {
  readonly outlet: TickOutlet;
  /** Each channel, and whether it may hold something already that no tick covers. */
  readonly channels: ReadonlyMap<string, boolean>;
  /** A timestamp above all that it gave before it was called. */
  readonly now: () => Promise<TimeTick>;
  readonly intervalMs: number;
  readonly clock: Clock;
}

/** The rounds of one ticker, on a timer from the start. */
export class TickerRounds {
  readonly #parts: TickerParts;
  readonly #ledgers: ReadonlyMap<string, TickerLedger>;
  readonly #rounds = new Mutex();
  /** The greatest timestamp that has come back. */
  #seen: TimeTick = timeTickFrom(0n);
  #cancelTimer: () => void = () => undefined;
  /** What ended the rounds on the timer; nothing that trying again would help. */
  #failure: { readonly reason: unknown } | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: TickerParts) {
    this.#parts = parts;
    this.#ledgers = new Map([...parts.channels].map(([channel, uncovered]) => [channel, new TickerLedger(uncovered)]));
    this.#setTimer();
  }

  /** See `Ticker.begin`. */
  async begin(channel: string): Promise<{ timestamp: TimeTick; done(): void }> {
    this.#refuse();
    const ledger = this.#ledgers.get(channel);
    if (ledger === undefined) throw invalid("channel", `a channel of this ticker (${[...this.#ledgers.keys()].join(", ")})`, channel);
    const asked = ledger.asks(this.#seen);
    const { timestamp, work } = await this.#begun(ledger, asked);
    return { timestamp, done: () => ledger.ends(work) };
  }

  /** See `Ticker.tick`. */
  async tick(): Promise<Map<string, TimeTick>> {
    this.#refuse();
    return this.#rounds.run(() => this.#round());
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#cancelTimer();
    // A round under way ends first, and none begins behind it.
    await this.#rounds.run(() => undefined);
    await this.#parts.outlet.close();
  }

  /** @throws `closed`; what ended the rounds */
  #refuse(): void {
    if (this.#closing !== undefined) throw new TidemarkError("closed", "the ticker is closed: open it again to go on", {});
    if (this.#failure !== undefined) throw this.#failure.reason;
  }

  async #begun(ledger: TickerLedger, asked: Work): Promise<{ timestamp: TimeTick; work: Work }> {
    try {
      const timestamp = await this.#now();
      return { timestamp, work: ledger.begins(asked, timestamp) };
    } catch (error) {
      ledger.ends(asked);
      throw error;
    }
  }

  async #now(): Promise<TimeTick> {
    const timestamp: unknown = await this.#parts.now();
    if (!isTimeTick(timestamp)) throw invalid("now", "a function that gives a time tick, as an oracle's allocate does", timestamp);
    if (timestamp > this.#seen) this.#seen = timestamp;
    return timestamp;
  }

  async #round(): Promise<Map<string, TimeTick>> {
    this.#refuse();
    const ticks = new Map<string, TimeTick>();
    for (const [channel, ledger] of this.#ledgers) if (this.#parts.outlet.takeActive(channel)) ledger.stored();
    const wanting = [...this.#ledgers].filter(([, ledger]) => ledger.uncovered);
    if (wanting.length === 0) return ticks;
    const fresh = await this.#now();
    for (const [channel, ledger] of wanting) {
      const tick = ledger.next(fresh);
      if (tick !== undefined) ticks.set(channel, tick);
    }
    if (ticks.size > 0) await this.#write(ticks);
    return ticks;
  }

  async #write(ticks: ReadonlyMap<string, TimeTick>): Promise<void> {
    try {
      await this.#parts.outlet.write(ticks);
    } catch (error) {
      // Perhaps some are there, perhaps none: the next round writes later ones.
      for (const channel of ticks.keys()) this.#ledgers.get(channel)?.stored();
      throw error;
    }
  }

  #setTimer(): void {
    this.#cancelTimer = this.#parts.clock.setTimer(this.#parts.intervalMs, () => {
      this.#roundOnTimer().catch((reason: unknown) => (this.#failure = { reason }));
    });
  }

  /** Ends the rounds with what trying again would not help; whoever calls next is told. */
  async #roundOnTimer(): Promise<void> {
    try {
      await this.tick();
    } catch (error) {
      if (this.#closing !== undefined) return;
      if (!isTidemarkError(error) || error.retry !== "backoff") throw error;
    }
    if (this.#closing === undefined) this.#setTimer();
  }
}

function isTimeTick(value: unknown): value is TimeTick {
  return typeof value === "bigint" && value > 0n && value < 1n << 64n;
}
