/**
 * A random life of an aligner, held to its laws step by step.
 *
 * Logs grow, channels are added, fall silent, go back to where an earlier pack ended, alone or all together.
 */
import * as fc from "fast-check";
import { int64MessageId, int64Of, type MessageId, type MsgPosition, timeTickFrom, tsMsg, type TsMsg } from "../../src/message/index.js";
import type { Aligner, CutPack } from "../../src/stream/align/aligner.js";
import { LockstepAligner } from "../../src/stream/align/lockstep-aligner.js";
import { beforeAllIds, nothingRead, zeroTick } from "../../src/stream/align/place.js";
import { WatermarkAligner } from "../../src/stream/align/watermark-aligner.js";
import type { StreamRecord } from "../../src/stream/stream-record.js";
import { type Alignment, must, PackBook, type Place } from "./pack-book.js";

/** One thing that happens. `channel` and `pack` are taken modulo what there is. */
export type LifeStep =
  | { readonly op: "message"; readonly channel: number; readonly ahead: number }
  | { readonly op: "late message" | "poison" | "tick" | "tick again" | "silent"; readonly channel: number }
  | { readonly op: "tick all" | "read" | "add" }
  | { readonly op: "go back"; readonly pack: number }
  | { readonly op: "go back alone"; readonly channel: number; readonly pack: number };

const channel = fc.nat(3);
const pack = fc.nat(20);

/** Lives of 20 to 60 steps. */
const lives: fc.Arbitrary<LifeStep[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ op: fc.constant("message" as const), channel, ahead: fc.nat(12) }) },
    {
      weight: 2,
      arbitrary: fc.record({ op: fc.constantFrom("late message" as const, "poison" as const, "tick again" as const), channel }),
    },
    { weight: 3, arbitrary: fc.record({ op: fc.constant("tick" as const), channel }) },
    { weight: 4, arbitrary: fc.record({ op: fc.constantFrom("tick all" as const, "read" as const) }) },
    { weight: 1, arbitrary: fc.record({ op: fc.constant("silent" as const), channel }) },
    { weight: 1, arbitrary: fc.record({ op: fc.constant("add" as const) }) },
    { weight: 1, arbitrary: fc.record({ op: fc.constant("go back" as const), pack }) },
    { weight: 1, arbitrary: fc.record({ op: fc.constant("go back alone" as const), channel, pack }) },
  ),
  { minLength: 20, maxLength: 60, size: "max" },
);

/** Lives it, to the end: afterwards every message of every channel has been in a pack. */
function live(alignment: Alignment, steps: readonly LifeStep[]): void {
  const life = new AlignerLife(alignment, 2);
  for (const step of steps) life.step(step);
  life.end();
}

/** Lives so many lives; what went wrong in the first that broke a law, shrunk, or nothing. */
export function faultIn(alignment: Alignment, numRuns: number, seed: number): string {
  const details = fc.check(
    fc.property(lives, (steps) => live(alignment, steps)),
    { numRuns, seed },
  );
  return details.failed ? (fc.defaultReportMessage(details) ?? "it failed") : "";
}

interface Log {
  readonly name: string;
  readonly records: StreamRecord[];
  next: number;
}

const beforeAll = beforeAllIds("memory");

class AlignerLife {
  readonly #alignment: Alignment;
  readonly #logs: Log[];
  readonly #book: PackBook;
  #aligner: Aligner;
  /** Whether the aligner has taken anything: from then on its watermark never goes back. */
  #begun = false;
  #clock = 10n;

  constructor(alignment: Alignment, channels: number) {
    this.#alignment = alignment;
    this.#logs = [0, 1, 2, 3].map((at) => ({ name: `c${at}`, records: [], next: 0 }));
    this.#book = new PackBook(alignment, new Map(this.#logs.map(({ name, records }) => [name, records])));
    this.#aligner = this.#newAligner();
    for (const log of this.#logs.slice(0, channels)) this.#add(log, this.#fresh(log));
  }

  step(step: LifeStep): void {
    this.#clock += 1n;
    switch (step.op) {
      case "message":
        return this.#append(this.#log(step.channel), tsMsg({ type: "user", timestamp: timeTickFrom(this.#clock + BigInt(step.ahead)) }));
      case "late message":
        return this.#append(this.#log(step.channel), tsMsg({ type: "user", timestamp: timeTickFrom(this.#clock - 8n) }));
      case "poison":
        return this.#append(this.#log(step.channel), undefined);
      case "tick":
        return this.#append(this.#log(step.channel), tick(this.#clock));
      case "tick again":
        return this.#append(this.#log(step.channel), tick(this.#clock - 5n));
      case "tick all":
        for (const log of this.#logs) this.#append(log, tick(this.#clock));
        return;
      case "read":
        return this.#read();
      case "silent":
        return this.#silent(this.#log(step.channel));
      case "add": {
        const log = this.#logs.find(({ name }) => !this.#book.places.has(name));
        return log === undefined ? undefined : this.#add(log, this.#fresh(log));
      }
      case "go back":
        return this.#goBack(this.#end(step.pack));
      case "go back alone": {
        const { name } = this.#log(step.channel);
        const place = this.#end(step.pack).get(name);
        return this.#goBack(new Map(place === undefined ? [] : [[name, place]]));
      }
    }
  }

  /** Two ticks that all have: after a seek in lockstep the first is swallowed. */
  end(): void {
    for (let round = 0; round < 2; round++) {
      this.#clock += 50n;
      for (const log of this.#logs) this.#append(log, tick(this.#clock));
      this.#read();
    }
    const missing = this.#book.missing();
    must(missing.length === 0, () => `every message was in a pack, but not ${missing.join(", ")}`);
  }

  #newAligner(): Aligner {
    const options = { dedupe: false, beforeAll };
    return this.#alignment === "watermark" ? new WatermarkAligner(options) : new LockstepAligner(options, undefined);
  }

  #log(at: number): Log {
    const log = this.#logs[at];
    if (log === undefined) throw new Error("four channels there are");
    return log;
  }

  #fresh({ name }: Log): Place {
    return { position: { channelName: name, msgId: undefined, msgGroup: "s", timestamp: zeroTick }, done: new Set() };
  }

  #append(log: Log, msg: TsMsg | undefined): void {
    const id = idOf(log.records.length);
    const position = { channelName: log.name, msgId: id, msgGroup: "s", timestamp: msg?.beginTs ?? zeroTick };
    log.records.push({ id, msg: msg === undefined ? undefined : { ...msg, position }, bytes: 1 });
  }

  #add(log: Log, place: Place): void {
    log.next = firstOf(place.position);
    this.#aligner.add(place.position);
    this.#book.add(log.name, place, this.#begun);
  }

  /** Where that pack ended. */
  #end(pack: number): ReadonlyMap<string, Place> {
    const { ends } = this.#book;
    return ends[pack % (ends.length || 1)] ?? new Map<string, Place>();
  }

  /** Everybody begins anew: at the given place, or where the last pack ended. */
  #goBack(places: ReadonlyMap<string, Place>): void {
    const before = this.#book.places;
    this.#aligner = this.#newAligner();
    this.#begun = false;
    this.#book.beginAnew(new Map());
    for (const log of this.#logs) {
      const place = places.get(log.name) ?? before.get(log.name);
      if (place !== undefined) this.#add(log, place);
    }
  }

  #silent(log: Log): void {
    if (!this.#book.places.has(log.name) || this.#alignment === "lockstep") return;
    // Only who has nothing to say is silent.
    while (this.#takeOne(log));
    if (log.next < log.records.length) return;
    this.#begun = true;
    this.#check(this.#aligner.leaveOut(log.name));
  }

  #read(): void {
    for (let took = true; took;) {
      took = false;
      for (const log of this.#logs) took = (this.#book.places.has(log.name) && this.#takeOne(log)) || took;
    }
  }

  #takeOne(log: Log): boolean {
    const record = log.records[log.next];
    if (record === undefined || !this.#aligner.wants(log.name)) return false;
    log.next++;
    this.#begun = true;
    this.#check(this.#aligner.take(log.name, record, 0));
    return true;
  }

  #check(cut: CutPack | undefined): void {
    if (cut !== undefined) this.#book.enter(cut.pack);
  }
}

function tick(at: bigint): TsMsg {
  return tsMsg({ type: "timeTick", timestamp: timeTickFrom(at) });
}

/** Ids of a log are neither dense nor begin at 0. */
function idOf(place: number): MessageId {
  return int64MessageId("memory", BigInt(place * 3 + 5));
}

function firstOf(position: MsgPosition): number {
  const { msgId } = position;
  if (msgId === undefined) return 0;
  return Number(int64Of(msgId) - 5n) / 3 + (nothingRead(position) ? 1 : 0);
}
