/**
 * The two groups of the tour.
 *
 *     dashboard   consume: reading is acknowledging; batches of 1,000, each byte compared with what was written
 *     billing     subscribe with acks by hand: 100 messages, an ack, a sync, the next 100
 */
import type { ConsumerMessage, RocksMq } from "../../rocksmq/index.js";
import { Failure } from "../failure.js";
import { type Airport, airports } from "./flights.js";
import type { Load } from "./load.js";

const dashboardBatch = 1000;
const billingBatch = 100;

/** How far a group has come, in this process and before. */
export class GroupReader {
  readonly group: "dashboard" | "billing";
  readonly read: Record<Airport, number> = { ATL: 0, DFW: 0, ORD: 0 };
  readonly #load: Load;

  constructor(group: "dashboard" | "billing", load: Load) {
    this.group = group;
    this.#load = load;
  }

  get total(): number {
    return airports.reduce((sum, airport) => sum + this.read[airport], 0);
  }

  /** Reads one channel: dashboard to its end, billing until it has read `until` messages there. */
  async run(mq: RocksMq, airport: Airport, options: { readonly until: number; readonly signal: AbortSignal }): Promise<void> {
    if (this.group === "dashboard") await this.#consume(mq, airport, options.signal);
    else await this.#subscribe(mq, airport, options);
  }

  async #consume(mq: RocksMq, airport: Airport, signal: AbortSignal): Promise<void> {
    for (;;) {
      const messages = await mq.consume(this.group, airport, dashboardBatch, { signal });
      if (messages.length === 0) return;
      this.#take(airport, messages);
    }
  }

  async #subscribe(
    mq: RocksMq,
    airport: Airport,
    { until, signal }: { readonly until: number; readonly signal: AbortSignal },
  ): Promise<void> {
    if (this.read[airport] >= until) return;
    const subscription = mq.subscribe(this.group, airport, { ack: "manual", batch: billingBatch, signal });
    for await (const messages of subscription) {
      this.#take(airport, messages);
      const last = messages.at(-1);
      if (last !== undefined) await subscription.ack(last.id);
      if (this.read[airport] >= until) break;
    }
    signal.throwIfAborted();
  }

  /** Message after message as they were written, none twice, none left out: a cursor that slips would show here. */
  #take(airport: Airport, messages: readonly ConsumerMessage[]): void {
    for (const { id, payload } of messages) {
      const expected = this.#load.message(airport, this.read[airport]);
      if (!expected.equals(payload)) {
        throw new Failure(
          `${this.group} read something else than flight ${this.read[airport]} of ${airport} at id ${id}: please report this`,
        );
      }
      this.read[airport] += 1;
    }
  }
}
