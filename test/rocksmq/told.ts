/**
 * What a queue tells, for tests that wait for it.
 */
import type { RocksMq, RocksMqEvent } from "../../src/rocksmq/index.js";
import { ManualClock } from "../../src/testing/index.js";
import { loopOf, type QueueOptions, type Store } from "./stores.js";

/** A queue, its clock, and what it tells. */
export async function watched(open: Store["open"], options: QueueOptions = {}): Promise<{ mq: RocksMq; clock: ManualClock; events: Told }> {
  const clock = new ManualClock();
  const mq = await open({ clock, ...options });
  return { mq, clock, events: new Told(mq) };
}

/** The events of a queue, one after the other. */
export class Told {
  readonly #loop: AsyncIterator<RocksMqEvent, undefined>;

  constructor(mq: RocksMq) {
    this.#loop = loopOf(mq.events());
  }

  /** The next one of that kind. */
  async next<T extends RocksMqEvent["type"]>(type: T): Promise<Extract<RocksMqEvent, { type: T }>> {
    for (;;) {
      const { value } = await this.#loop.next();
      if (value === undefined) throw new Error(`no ${type} came`);
      if (isOf(value, type)) return value;
    }
  }
}

function isOf<T extends RocksMqEvent["type"]>(event: RocksMqEvent, type: T): event is Extract<RocksMqEvent, { type: T }> {
  return event.type === type;
}

/** Resolves once the channel begins at `id`, by whatever is told meanwhile. */
export async function begunAt(events: Told, id: bigint | undefined): Promise<void> {
  for (let beginId = -1n; beginId !== id;) ({ beginId } = await events.next("trimmed"));
}
