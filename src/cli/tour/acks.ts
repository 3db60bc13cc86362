/** What a writer has told of before it died, and how that compares with what is there. */
import type { ConsumerMessage } from "../../rocksmq/index.js";
import { type Airport, airports, type Flights } from "./flights.js";

/** A batch that the writer was told is safe. */
interface Ack {
  readonly k: number;
  readonly firstId: bigint;
  readonly count: number;
}

/** Counts over all channels. */
export interface Verdict {
  acked: number;
  /** Acked, and there under its id with every byte. */
  found: number;
  /** There, but its ack never reached anybody. */
  unheard: number;
  /** Ids given to two messages. */
  repeated: number;
  /** Not the bytes that were written. */
  wrong: number;
  /** Batches of which a part is there. */
  torn: number;
}

/** Collects the writer's lines as they come. */
export class AckLog {
  readonly batch: number;
  /** Messages acked so far. */
  messages = 0;
  readonly #acks: Readonly<Record<Airport, Ack[]>> = { ATL: [], DFW: [], ORD: [] };
  #unfinished = "";

  /** @param batch messages in one batch of the writer */
  constructor(batch: number) {
    this.batch = batch;
  }

  /** A last line without its end was cut by the kill: nobody was told that. */
  push(text: string): void {
    const lines = (this.#unfinished + text).split("\n");
    this.#unfinished = lines.pop() ?? "";
    for (const line of lines) {
      const [airport = "", k, firstId = "", count] = line.split(" ");
      this.#acks[airport as Airport].push({ k: Number(k), firstId: BigInt(firstId), count: Number(count) });
      this.messages += Number(count);
    }
  }

  /**
   * Compares with what a reader finds from `start` on.
   *
   * @param start per channel: the flight the writer began with, and the id that nothing before it has
   */
  async compare(
    flights: Flights,
    start: Readonly<Record<Airport, { readonly k: number; readonly id: bigint }>>,
    read: (airport: Airport) => AsyncIterable<readonly ConsumerMessage[]>,
  ): Promise<Verdict> {
    const verdict: Verdict = { acked: 0, found: 0, unheard: 0, repeated: 0, wrong: 0, torn: 0 };
    for (const airport of airports) {
      const acked = this.#flightById(airport, verdict);
      const { k: firstFlight, id: firstId } = start[airport];
      let lastId = firstId - 1n;
      let k = firstFlight;
      for await (const messages of read(airport)) {
        for (const { id, payload } of messages) {
          const heard = acked.get(id);
          // What was not acked is the flight behind the one before it: produces are stored in call order.
          k = heard ?? k;
          const same = flights.message(airport, k).equals(payload);
          if (id <= lastId) verdict.repeated += 1;
          else if (!same) verdict.wrong += 1;
          else if (heard === undefined) verdict.unheard += 1;
          else verdict.found += 1;
          if (id > lastId) lastId = id;
          k += 1;
        }
      }
      if ((k - firstFlight) % this.batch !== 0) verdict.torn += 1;
    }
    return verdict;
  }

  #flightById(airport: Airport, verdict: Verdict): ReadonlyMap<bigint, number> {
    const flights = new Map<bigint, number>();
    for (const { k, firstId, count } of this.#acks[airport]) {
      for (let at = 0; at < count; at += 1) {
        const id = firstId + BigInt(at);
        if (flights.has(id)) verdict.repeated += 1;
        flights.set(id, k + at);
        verdict.acked += 1;
      }
    }
    return flights;
  }
}
