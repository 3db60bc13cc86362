/**
 * A program of its own: the writer that the tour kills. It writes flights without end and says on stdout what was acked, as soon as it knows.
 *
 *     node writer.js <folder> ATL:60619 DFW:77311 ORD:80639        which flight each channel begins with
 *     ATL 60619 263405372866560001 200                             flights 60619 to 60818 are safe, from this id on
 *
 * It never ends by itself. When nobody reads its stdout any more, the write fails and it is gone.
 */
import { writeSync } from "node:fs";
import type { RocksMq } from "../../rocksmq/index.js";
import { type Airport, airports, type Flights, loadFlights } from "./flights.js";
import { openTourQueue, writerBatch as batch } from "./tour-setting.js";

/** Batches in flight a channel. */
const inFlight = 8;

async function write(mq: RocksMq, flights: Flights, airport: Airport, next: { k: number }): Promise<never> {
  for (;;) {
    const k = next.k;
    next.k += batch;
    const messages = Array.from({ length: batch }, (_, at) => ({ payload: flights.message(airport, k + at) }));
    const { firstId } = await mq.produce(airport, messages);
    // A blocking write: an ack must be in the pipe before anything else happens here.
    writeSync(1, `${airport} ${k} ${firstId} ${batch}\n`);
  }
}

const [folder = "", ...starts] = process.argv.slice(2);
const flights = loadFlights();
const mq = await openTourQueue(folder);
const first = new Map(starts.map((start) => [start.slice(0, 3), Number(start.slice(4))]));
await Promise.all(
  airports.flatMap((airport) => {
    const next = { k: first.get(airport) ?? 0 };
    return Array.from({ length: inFlight }, () => write(mq, flights, airport, next));
  }),
);
