/**
 * The tour's data: a week of real departures from three airports, as messages without end.
 *
 *     pass 0            pass 1            pass 2 …
 *     week of 1 Jan     week of 8 Jan     week of 15 Jan      the same flights, each pass seven days later
 *
 * Message k of an airport is the same bytes in every process, so that a reader can check what a killed writer has left.
 */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** The airports, one channel each. */
export const airports = ["ATL", "DFW", "ORD"] as const;
/** One of them. */
export type Airport = (typeof airports)[number];

interface Departure {
  readonly atMs: number;
  /** What follows the date in every pass. */
  readonly rest: string;
}

const weekMs = 7 * 24 * 3600 * 1000;

/** The departures, by airport in the order of time. */
export class Flights {
  /** In one pass, all airports together. */
  readonly perPass: number;
  readonly #departures: Readonly<Record<Airport, readonly Departure[]>>;

  constructor(csv: string) {
    const departures: Record<Airport, Departure[]> = { ATL: [], DFW: [], ORD: [] };
    for (const line of csv.trimEnd().split("\n").slice(1)) {
      const [date = "", origin = "", destination = "", delay = "", distance = ""] = line.split(",");
      const rest = `"from":"${origin}","to":"${destination}","delayMin":${delay},"miles":${distance}}`;
      departures[origin as Airport].push({ atMs: Date.parse(`${date}Z`), rest });
    }
    this.#departures = departures;
    this.perPass = airports.reduce((sum, airport) => sum + departures[airport].length, 0);
  }

  /** Message `k` of an airport, from 0 on, without end. */
  message(airport: Airport, k: number): Buffer {
    const departures = this.#departures[airport];
    const departure = departures[k % departures.length];
    if (departure === undefined) throw new Error(`no departures from ${airport}`);
    const date = new Date(this.departsMs(airport, k)).toISOString().slice(0, 16);
    return Buffer.from(`{"flight":${k},"departs":"${date}",${departure.rest}`);
  }

  /** When that flight departs, in Unix milliseconds; never before the one before it. */
  departsMs(airport: Airport, k: number): number {
    const departures = this.#departures[airport];
    return (departures[k % departures.length]?.atMs ?? 0) + Math.floor(k / departures.length) * weekMs;
  }

  /** How many messages an airport has in one pass. */
  departures(airport: Airport): number {
    return this.#departures[airport].length;
  }
}

/** Reads them from the package, where data/ lies beside src/ and dist/. */
export function loadFlights(): Flights {
  return new Flights(gunzipSync(readFileSync(new URL("../../../data/flights-2001-01.csv.gz", import.meta.url))).toString("utf8"));
}
