/**
 * Step 5: a channel an airport, written one after the other; read as one stream in the order of time, by the hour.
 *
 *     sky-ATL  ·· · ·|· ·· |  ·· ·|        pack 1: the first hour, of all three      | a tick an hour
 *     sky-DFW  · ·  ·|···  | ·  · |        pack 2: the second …
 *     sky-ORD  ··  · |  · ·|· ··  |
 */
import { type MsgPack, positionFromBytes, positionToBytes, timeTick, tsMsg, type TsMsg } from "../../message/index.js";
import type { RocksMq } from "../../rocksmq/index.js";
import { type MsgStream, type MsgStreamFactory, rocksMqMsgStreamFactory } from "../../stream/index.js";
import { Failure } from "../failure.js";
import { count, duration } from "../figures.js";
import { type Airport, airports, type Flights } from "./flights.js";
import type { Setting } from "./tour-setting.js";

const hourMs = 3_600_000;

/** The channels of this step, in the order of `airports`. */
const skyChannels: readonly string[] = airports.map((airport) => `sky-${airport}`);

/** Resolves once a pass of the flights was written, read as one stream in two lives, and compared. */
export async function joinStep(mq: RocksMq, { stage, flights, clock }: Setting): Promise<void> {
  await stage.step(5, "Join", "a channel an airport, read as one stream in the order of time");
  const factory = rocksMqMsgStreamFactory(mq);
  try {
    const hours = await write(factory, flights);
    await stage.line(`   ${count(flights.perPass)} flights, one channel written after the other, a tick an hour`);
    const check = new JoinCheck(flights);
    const startedAt = clock.monotonicMs();
    const checkpoint = await readHours(factory, check, Math.floor(hours / 2), undefined);
    const half = check.flights;
    await readHours(factory, check, hours, checkpoint);
    const took = stage.out.bold(duration(clock.monotonicMs() - startedAt));
    await stage.line(`   ${count(hours)} packs, each an hour of all three, complete · read and compared in ${took}`);
    const size = checkpoint.reduce((sum, bytes) => sum + bytes.byteLength, 0);
    await stage.line(`   stopped halfway, went on from a checkpoint of ${size} bytes: ${count(check.flights - half)} to go,`);
    await stage.line(`   every byte compared: lost ${count(flights.perPass - check.flights)} · twice 0 · out of their hour 0`);
  } finally {
    await factory.close();
  }
}

/** Resolves with the number of hours. */
async function write(factory: MsgStreamFactory, flights: Flights): Promise<number> {
  const stream = await factory.newMsgStream();
  await stream.asProducer(skyChannels);
  const endMs = Math.max(...airports.map((airport) => flights.departsMs(airport, flights.departures(airport) - 1)));
  const firstMs = firstHourMs(flights);
  const hours = Math.ceil((endMs - firstMs) / hourMs);
  for (const [place, airport] of airports.entries()) {
    const groups = hourly(flights, airport, firstMs, hours).map((numbers, hour) => {
      const msgs = numbers.map((k) => flightMsg(flights, airport, k, place));
      return [...msgs, tsMsg({ type: "timeTick", timestamp: timeTick(firstMs + (hour + 1) * hourMs), hashKeys: [place] })];
    });
    // Not awaited one by one: order of calls is order of effect, and one sync serves many.
    await Promise.all(groups.map((msgs) => stream.produce({ msgs })));
  }
  await stream.close();
  return hours;
}

/** The full hour before the first departure of all, which is not in it: an hour holds what is after its beginning, up to its end. */
function firstHourMs(flights: Flights): number {
  const first = Math.min(...airports.map((airport) => flights.departsMs(airport, 0)));
  return (Math.ceil(first / hourMs) - 1) * hourMs;
}

/** The numbers of an airport's flights, by the hour. */
function hourly(flights: Flights, airport: Airport, firstMs: number, hours: number): readonly (readonly number[])[] {
  const groups: number[][] = Array.from({ length: hours }, () => []);
  for (let k = 0; k < flights.departures(airport); k++) {
    groups[Math.ceil((flights.departsMs(airport, k) - firstMs) / hourMs) - 1]?.push(k);
  }
  return groups;
}

function flightMsg(flights: Flights, airport: Airport, k: number, place: number): TsMsg {
  const timestamp = timeTick(flights.departsMs(airport, k));
  return tsMsg({ type: "user", timestamp, hashKeys: [place], payload: flights.message(airport, k) });
}

/** Reads until so many hours are read in all, from a checkpoint or the beginning; resolves with the next checkpoint. */
async function readHours(
  factory: MsgStreamFactory,
  check: JoinCheck,
  hours: number,
  checkpoint: readonly Uint8Array[] | undefined,
): Promise<readonly Uint8Array[]> {
  const stream = await openAt(factory, checkpoint);
  try {
    let pack: MsgPack | undefined;
    while (check.hours < hours) {
      pack = await stream.consume();
      if (pack === undefined) throw new Failure("the stream ended before its last hour");
      check.took(pack);
    }
    return (pack?.endPositions ?? []).map(positionToBytes);
  } finally {
    await stream.close();
  }
}

async function openAt(factory: MsgStreamFactory, checkpoint: readonly Uint8Array[] | undefined): Promise<MsgStream> {
  const stream = await factory.newTtMsgStream();
  if (checkpoint === undefined) {
    await stream.asConsumer(skyChannels, "tour", "earliest");
  } else {
    await stream.asConsumer(skyChannels, "tour", "unknown");
    await stream.seek(checkpoint.map((bytes) => positionFromBytes(bytes)));
  }
  return stream;
}

/** What must come, against what comes. */
class JoinCheck {
  readonly #flights: Flights;
  /** Flights that came, by channel. */
  readonly #next = new Map<string, number>(skyChannels.map((channel) => [channel, 0]));
  hours = 0;

  constructor(flights: Flights) {
    this.#flights = flights;
  }

  get flights(): number {
    return [...this.#next.values()].reduce((sum, next) => sum + next, 0);
  }

  /** @throws `Failure` for a flight that is not the next one of its airport, or not of the pack's hour */
  took({ beginTs, endTs, msgs }: MsgPack): void {
    this.hours += 1;
    for (const msg of msgs) {
      const channel = msg.position?.channelName ?? "";
      const k = this.#next.get(channel) ?? 0;
      const expected = this.#flights.message(airports[skyChannels.indexOf(channel)] ?? "ATL", k);
      if (msg.type !== "user" || !expected.equals(msg.body.payload)) throw new Failure(`flight ${k} of ${channel} is not what was written`);
      if (msg.endTs <= beginTs || msg.endTs > endTs) throw new Failure(`flight ${k} of ${channel} is in another hour's pack`);
      this.#next.set(channel, k + 1);
    }
  }
}
