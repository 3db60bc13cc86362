/**
 * Everything that goes on at one cursor, in order: the pair of a group and a channel.
 *
 *     consume (has the turn) ◀─ consume ◀─ passage of a seek ◀─ consume
 *
 * A consume has its turn alone, from its look at the cursor to the cursor's move. One that finds nothing parks with its turn kept, and those
 * behind wait with it; but a passage needs no turn, only that what was called before is done or waits: a parked consume lets all through,
 * and so a seek reaches the consume that waits and redirects it.
 *
 * A subscription takes the whole pair and lets no consume in line.
 */
import { heedAbort, ignoreAbort } from "../base/abort-ears.js";
import type { Clock } from "../base/clock.js";
import type { ChannelReader, ChannelView, Engine, StoredMessage } from "../storage/index.js";
import { cursorKey } from "./keys.js";
import { setLongTimer } from "./long-timer.js";
import type { Parked, Patience } from "./parked.js";
import { cursorTaken } from "./refusals.js";
import type { Waiters } from "./waiters.js";

/** One in the line behind the consume that has the turn. */
interface Waiting {
  readonly kind: "turn" | "passage";
  readonly go: () => void;
  /** Somebody parked in front of it. Returns whether it has left the line by that. */
  readonly onPark: () => boolean;
}

/** Made at the first use of the pair; forgotten when nobody uses it. */
export class CursorLine {
  readonly group: string;
  readonly channel: string;
  readonly key: string;
  /** Moves of the cursor that were called and that it does not show yet: of whoever moves it, but for the consume that has the turn. */
  #moves = 0;
  /** Those among them that a subscription has to follow. */
  #seeks: Promise<void> | undefined;
  #busy = false;
  #subscribed = false;
  #parked: Parked | undefined;
  #line: Waiting[] = [];
  #reader: { readonly of: ChannelView; readonly reader: ChannelReader } | undefined;

  constructor(group: string, channel: string) {
    this.group = group;
    this.channel = channel;
    this.key = cursorKey(group, channel);
  }

  /** The seeks that are on their way; undefined when there are none. Never rejects. */
  get seeks(): Promise<void> | undefined {
    return this.#seeks;
  }

  /** Whether the cursor does not show yet all that was called. */
  get moving(): boolean {
    return this.#moves > 0;
  }

  /** Nobody is here, so that nothing is lost if it is forgotten. */
  get idle(): boolean {
    return !this.#busy && !this.#subscribed && this.#line.length === 0 && this.#moves === 0;
  }

  /**
   * Takes the turn of a consume, at once (undefined) or in its place in line ("turn"; "waited" if one in front of it was parked meanwhile).
   * "timeout": it did not get it in its time, since the one in front waits as well. Whoever got the turn owes a `leave`.
   *
   * @throws `conflict` while a subscription is open
   */
  enter(patience: Patience): Promise<"turn" | "waited" | "timeout"> | undefined {
    if (this.#subscribed) throw cursorTaken(this.group, this.channel, "a subscription is open");
    if (this.#busy) return this.#standInLine(patience);
    this.#busy = true;
    return undefined;
  }

  /** Gives the turn to the next in line. */
  leave(): void {
    this.#busy = false;
    while (!this.#busy) {
      const next = this.#line.shift();
      if (next === undefined) return;
      if (next.kind === "turn") this.#busy = true;
      next.go();
    }
  }

  /** Undefined when all consumes called so far are done or wait; else resolves once they are. */
  passage(): Promise<"done" | "parked"> | undefined {
    if (!this.#busy || this.#parked !== undefined) return undefined;
    return new Promise((resolve) => {
      const onPark = (): boolean => {
        resolve("parked");
        return true;
      };
      this.#line.push({ kind: "passage", go: () => resolve("done"), onPark });
    });
  }

  /** Takes the pair for a subscription, which owes an `unclaim`. Returns what is in the way instead, if anything is. */
  claim(): string | undefined {
    if (this.#subscribed) return "a subscription is open";
    if (this.#parked !== undefined) return "a consume waits";
    this.#subscribed = true;
    return undefined;
  }

  unclaim(): void {
    this.#subscribed = false;
  }

  /** Parks whoever has the turn, or the subscription, until something happens on the channel or the cursor. */
  async park(waiters: Waiters, patience: Patience): Promise<"rung" | "timeout"> {
    try {
      return await waiters.park(this.channel, patience, (parked) => {
        this.#parked = parked;
        this.#line = this.#line.filter((waiting) => !waiting.onPark());
      });
    } finally {
      this.#parked = undefined;
    }
  }

  /** A move was called: a seek, an acknowledgement, resume points; `moved` settles with it. */
  expectMove(moved: Promise<unknown>): void {
    this.#moves += 1;
    const isOver = (): void => {
      this.#moves -= 1;
    };
    moved.then(isOver, isOver);
  }

  /** A move was called that a subscription has to follow; `moved` settles with it. */
  expectSeek(moved: Promise<unknown>): void {
    this.expectMove(moved);
    const seeks = Promise.allSettled([this.#seeks, moved]).then(() => {
      if (this.#seeks === seeks) this.#seeks = undefined;
    });
    this.#seeks = seeks;
  }

  /** Lets whoever is parked look again. */
  wake(): void {
    this.#parked?.ring();
    // From here on it counts as under way, also before it goes on.
    this.#parked = undefined;
  }

  /** Reads with the reader that keeps its place from one call to the next. */
  read(engine: Engine, view: ChannelView, fromId: bigint, max: number, maxBytes: number): Promise<StoredMessage[]> {
    if (this.#reader?.of !== view) this.#reader = { of: view, reader: engine.reader(view) };
    return this.#reader.reader.read(fromId, max, maxBytes);
  }

  #standInLine({ clock, waitMs, signal }: Patience): Promise<"turn" | "waited" | "timeout"> {
    return new Promise((resolve, reject) => {
      const leaveLine = (): void => {
        this.#line = this.#line.filter((other) => other !== waiting);
      };
      const settle = (how: () => void): void => {
        cancelTimer?.();
        ignoreAbort(signal, onAbort);
        how();
      };
      const onAbort = (): void => {
        const reason: unknown = signal?.reason;
        leaveLine();
        settle(() => reject(reason));
      };
      let late = false;
      let waited = this.#parked !== undefined;
      const onTime = (): void => {
        late = true;
        // While the one in front still gets messages there may be some for this one too.
        if (this.#parked === undefined) return;
        leaveLine();
        settle(() => resolve("timeout"));
      };
      const onPark = (): boolean => {
        waited = true;
        if (late) settle(() => resolve("timeout"));
        return late;
      };
      const waiting: Waiting = { kind: "turn", go: () => settle(() => resolve(waited ? "waited" : "turn")), onPark };
      const cancelTimer = timerFor(clock, waitMs, onTime);
      this.#line.push(waiting);
      heedAbort(signal, onAbort);
    });
  }
}

/** One that does not wait for messages has no time of its own: it waits for its turn. */
function timerFor(clock: Clock, waitMs: number | undefined, onTime: () => void): (() => void) | undefined {
  return waitMs === undefined || waitMs <= 0 ? undefined : setLongTimer(clock, waitMs, onTime);
}
