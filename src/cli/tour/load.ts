/**
 * What step 1 writes: so many whole passes of the flights that they are at least the bytes asked for, made before the clock starts.
 *
 *     bytes    |{"flight":0,…}|{"flight":0,…}|{"flight":1,…}|…      one buffer
 *     ends      ^              ^              ^                      where each message ends
 *     airport   ORD            ATL            ORD                    in the order of a busy sky: interleaved, as the shares are
 */
import { type Airport, airports, type Flights } from "./flights.js";

/** Messages by number, 0 to `count` - 1. */
export class Load {
  readonly count: number;
  readonly passes: number;
  readonly bytes: Buffer;
  readonly #flights: Flights;
  readonly #ends: Uint32Array;
  readonly #airports: readonly Airport[];
  /** Of each airport, the numbers of its messages. */
  readonly #numbers: Readonly<Record<Airport, readonly number[]>>;

  constructor(flights: Flights, atLeastBytes: number) {
    const payloads: Buffer[] = [];
    const owners: Airport[] = [];
    const numbers: Record<Airport, number[]> = { ATL: [], DFW: [], ORD: [] };
    let size = 0;
    let passes = 0;
    for (; size < atLeastBytes; passes += 1) {
      for (const airport of interleaved(flights)) {
        const payload = flights.message(airport, numbers[airport].length);
        numbers[airport].push(payloads.length);
        payloads.push(payload);
        owners.push(airport);
        size += payload.length;
      }
    }
    this.#flights = flights;
    this.count = payloads.length;
    this.passes = passes;
    this.bytes = Buffer.concat(payloads, size);
    this.#airports = owners;
    this.#numbers = numbers;
    this.#ends = new Uint32Array(payloads.length);
    let end = 0;
    payloads.forEach((payload, at) => (this.#ends[at] = end += payload.length));
  }

  airport(n: number): Airport {
    return this.#airports[n] ?? "ATL";
  }

  countOf(airport: Airport): number {
    return this.#numbers[airport].length;
  }

  /** An airport's message `k`, also beyond the load. */
  message(airport: Airport, k: number): Buffer {
    const n = this.#numbers[airport][k];
    return n === undefined ? this.#flights.message(airport, k) : this.payload(n);
  }

  payload(n: number): Buffer {
    return this.slice(n, n + 1);
  }

  /** The bytes of messages `from` to `to` - 1. */
  slice(from: number, to: number): Buffer {
    return this.bytes.subarray(from === 0 ? 0 : this.#ends[from - 1], this.#ends[Math.min(to, this.count) - 1]);
  }
}

/** One pass: each time the airport that is furthest behind its share. */
function* interleaved(flights: Flights): Generator<Airport, void> {
  const given: Record<Airport, number> = { ATL: 0, DFW: 0, ORD: 0 };
  for (let n = 0; n < flights.perPass; n += 1) {
    const behind = (airport: Airport): number => given[airport] / flights.departures(airport);
    const airport = airports.reduce((least, one) => (behind(one) < behind(least) ? one : least));
    given[airport] += 1;
    yield airport;
  }
}
