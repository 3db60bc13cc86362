/**
 * A random life of a whole time-tick stream, over a back-end, held to its laws pack by pack.
 *
 * Channels grow while they are read, are added in every way there is, fall silent; the consumer waits, gives up waiting, is sent to checkpoints and to ticks, ends and
 * resumes where the last handled pack ended. What has to come is in a `PackBook`.
 */
import {
  int64Of,
  type MsgPack,
  type MsgPosition,
  positionFromBytes,
  positionToBytes,
  timeTickFrom,
  tsMsg,
  type TsMsg,
} from "../../src/message/index.js";
import type { ConsumerPosition, MsgStream } from "../../src/stream/index.js";
import { beforeAllIds, unreadPosition, zeroTick } from "../../src/stream/align/place.js";
import { type Alignment, type Logged, must, PackBook, type Place } from "./pack-book.js";
import { poison, type World } from "./stream-worlds.js";

/** What is written to a channel: `ahead` of the ticks around it, or so long `ago`. */
export type Written =
  | { readonly what: "message"; readonly type: "user" | "insert" | "delete"; readonly ahead: number }
  | { readonly what: "late message"; readonly ago: number }
  | { readonly what: "poison" | "tick" | "tick again" };

/** One thing that happens. `channel`, `pack` and `record` are taken modulo what there is. */
export type StreamStep =
  | { readonly op: "write"; readonly channel: number; readonly records: readonly Written[] }
  | { readonly op: "tick all" | "ask" | "give up" | "time passes" }
  | { readonly op: "take"; readonly packs: number }
  /** The others go on without it, where it may be left out; then it says something. */
  | { readonly op: "silence"; readonly channel: number }
  | { readonly op: "add"; readonly position: ConsumerPosition }
  | { readonly op: "restart"; readonly how: "closed" | "killed"; readonly asking: boolean }
  /** To where a pack ended, all channels or one. `busy`: while the channels are written to. */
  | { readonly op: "seek"; readonly pack: number; readonly channel: number | undefined; readonly busy: boolean }
  /** To what is after a tick that is so long ago, from the earliest on, or from a record on. */
  | { readonly op: "seek tick"; readonly channel: number; readonly ago: number; readonly record: number | undefined };

/** What a life is lived with. */
export interface LifeOptions {
  readonly alignment: Alignment;
  /** Whether silent channels are left out. */
  readonly idle: boolean;
  /** Then no message has the id of another one. */
  readonly dedupe: boolean;
  readonly alignBytes: number | undefined;
}

/** A pack that was asked for. */
interface Asked {
  readonly giveUp: AbortController | undefined;
  /** What came of it, once something did. */
  outcome?: { readonly pack: MsgPack | undefined } | { readonly reason: unknown };
}

const idleMs = 1_000;
const subscription = "s";

interface Log {
  readonly name: string;
  readonly records: Logged[];
}

/** A stream's life; `done` counts what happened in it. */
export class StreamLife {
  readonly #world: World;
  readonly #options: LifeOptions;
  readonly #logs: readonly Log[];
  readonly #book: PackBook;
  /** Where each channel resumes. */
  readonly #kept = new Map<string, Place>();
  /** Taken on without a place. */
  readonly #nowhere = new Set<string>();
  #stream: MsgStream;
  #producer: MsgStream | undefined;
  #asked: Asked | undefined;
  /** Where the pack ended that was taken last, and does not count as handled. */
  #inHand: ReadonlyMap<string, Place> | undefined;
  #clock = 40n;
  #messages = 0;
  readonly done = { packs: 0, late: 0, seeks: 0, resumed: 0, added: 0 };

  private constructor(world: World, options: LifeOptions, stream: MsgStream) {
    this.#world = world;
    this.#options = options;
    this.#logs = [0, 1, 2, 3].map((at) => ({ name: `c${at}`, records: [] }));
    this.#book = new PackBook(options.alignment, new Map(this.#logs.map(({ name, records }) => [name, records])));
    this.#stream = stream;
  }

  /** Begins with two channels. */
  static async begin(world: World, options: LifeOptions): Promise<StreamLife> {
    const life = new StreamLife(world, options, await newStream(world, options));
    await life.#add("resume");
    await life.#add("resume");
    return life;
  }

  async step(step: StreamStep): Promise<void> {
    this.#clock += 1n;
    switch (step.op) {
      case "write":
        await this.#write(step.channel, step.records);
        return this.#settle();
      case "tick all":
        await this.#tickAll();
        return this.#settle();
      case "ask":
        return this.#ask(new AbortController());
      case "take":
        return this.#take(step.packs);
      case "give up":
        this.#asked?.giveUp?.abort(gaveUp);
        return this.#settle();
      case "time passes":
        await this.#world.clock.advance(idleMs + 100);
        return this.#settle();
      case "silence":
        return this.#silence(step.channel);
      case "add":
        return this.#add(step.position);
      case "restart":
        return this.#restart(step.how, step.asking);
      case "seek":
        return this.#seek(step);
      case "seek tick":
        return this.#seekTick(step);
      default:
        step satisfies never;
    }
  }

  /** To the end, from where it resumes, and again to the end from one of the places that packs ended at. */
  async end(): Promise<void> {
    await this.#restart("closed", false);
    await this.#readAll();
    const { ends } = this.#book;
    await this.#seek({ pack: this.#messages % (ends.length || 1), channel: undefined, busy: false });
    await this.#readAll();
    await this.#stream.close();
  }

  /** Two ticks that all have: after a seek in lockstep the first is swallowed. Afterwards every message of every channel has been in a pack. */
  async #readAll(): Promise<void> {
    for (let round = 0; round < 2; round++) {
      this.#clock += 50n;
      await this.#tickAll();
      await this.#take(Infinity);
    }
    const missing = this.#book.missing();
    must(missing.length === 0, () => `every message was in a pack, but not ${missing.join(", ")}`);
  }

  // ── writing ──

  async #tickAll(): Promise<void> {
    const msgs = [this.#msg({ what: "tick" })];
    const ids = await (await this.#producing()).broadcast({ msgs });
    for (const { name, records } of this.#logs) for (const id of ids.get(name) ?? []) records.push({ id, msg: msgs[0] });
  }

  async #write(channel: number, written: readonly Written[]): Promise<void> {
    const { name, records } = this.#log(channel);
    const msgs = written.map((record) => ({ ...this.#msg(record), hashKeys: [channel] }));
    const ids = (await (await this.#producing()).produce({ msgs })).get(name) ?? [];
    for (const [at, id] of ids.entries()) records.push({ id, msg: written[at]?.what === "poison" ? undefined : msgs[at] });
  }

  async #silence(channel: number): Promise<void> {
    for (const [other] of this.#logs.entries()) if (other !== channel) await this.#write(other, [{ what: "tick" }]);
    await this.#world.clock.advance(idleMs + 100);
    await this.#take(3);
    await this.#write(channel, [{ what: "late message", ago: 5 }]);
    await this.#settle();
  }

  /** What writes to all channels; a pack of its goes to the channel of its first message. */
  async #producing(): Promise<MsgStream> {
    if (this.#producer !== undefined) return this.#producer;
    const producer = await this.#world.factory.newMsgStream();
    await producer.asProducer(this.#logs.map(({ name }) => name));
    producer.setRepackFunc((msgs, buckets) => new Map([[buckets[0]?.[0] ?? 0, { msgs: [...msgs] }]]));
    this.#producer = producer;
    return producer;
  }

  #msg(record: Written): TsMsg {
    switch (record.what) {
      case "message":
        return this.#message(record.type, this.#clock + BigInt(record.ahead));
      case "late message":
        return this.#message("user", this.#clock - BigInt(record.ago));
      case "poison":
        return tsMsg({ type: "user", timestamp: timeTickFrom(this.#clock), payload: Buffer.from(poison) });
      case "tick":
        return tsMsg({ type: "timeTick", timestamp: timeTickFrom(this.#clock) });
      case "tick again":
        return tsMsg({ type: "timeTick", timestamp: timeTickFrom(this.#clock - 5n) });
    }
  }

  #message(type: "user" | "insert" | "delete", ts: bigint): TsMsg {
    const number = ++this.#messages;
    const draft = {
      timestamp: timeTickFrom(ts),
      id: BigInt(this.#options.dedupe ? number : number % 3),
      properties: { n: String(number) },
    };
    switch (type) {
      case "user":
        return tsMsg({ ...draft, type });
      case "insert":
        return tsMsg({ ...draft, type, body: { rowIDs: [1n], numRows: 1n, version: 1 } });
      case "delete":
        return tsMsg({ ...draft, type, body: { numRows: 1n, primaryKeys: { idField: { case: "intId", value: { data: [4n] } } } } });
    }
  }

  // ── reading ──

  #ask(giveUp?: AbortController): void {
    if (this.#asked !== undefined) return;
    // The next one is asked for: the one before was handled.
    for (const [channel, place] of this.#inHand ?? []) this.#kept.set(channel, place);
    this.#inHand = undefined;
    const asked: Asked = { giveUp };
    this.#asked = asked;
    void this.#stream.consume({ signal: giveUp?.signal }).then(
      (pack) => (asked.outcome = { pack }),
      (reason: unknown) => (asked.outcome = { reason }),
    );
  }

  async #take(packs: number): Promise<void> {
    for (let took = 0; took < packs; took++) {
      this.#ask();
      await this.#settle();
      if (this.#asked !== undefined) return;
    }
  }

  /** Lets everything happen that can. */
  async #settle(): Promise<void> {
    for (let turn = 0; turn < this.#world.turns; turn++) await new Promise((resolve) => setImmediate(resolve));
    const outcome = this.#asked?.outcome;
    if (outcome === undefined) return;
    this.#asked = undefined;
    if ("pack" in outcome) this.#took(outcome.pack);
    else if (outcome.reason !== gaveUp) throw outcome.reason;
  }

  #took(pack: MsgPack | undefined): void {
    if (pack === undefined) throw new Error("the stream ended");
    for (const { position, properties } of pack.msgs) {
      const log = this.#logs.find(({ name }) => name === position?.channelName);
      const logged = log?.records.find(({ id }) => position?.msgId?.equals(id) === true);
      must(logged?.msg?.properties["n"] === properties["n"], () => `message ${properties["n"]} is the one at its place`);
    }
    this.#book.enter(pack);
    this.done.packs++;
    this.done.late = this.#book.late;
    this.#inHand = this.#book.ends.at(-1);
  }

  // ── going elsewhere ──

  async #add(position: ConsumerPosition): Promise<void> {
    const log = this.#logs.find(({ name }) => !this.#book.places.has(name) && !this.#nowhere.has(name));
    if (log === undefined) return;
    await this.#settle();
    await this.#stream.asConsumer([log.name], subscription, position);
    if (position === "unknown") this.#nowhere.add(log.name);
    else this.#book.add(log.name, this.#placeFor(log, position), undefined);
    this.done.added++;
    await this.#settle();
  }

  #placeFor({ name, records }: Log, position: ConsumerPosition): Place {
    const kept = position === "resume" ? this.#kept.get(name) : undefined;
    if (kept !== undefined) return kept;
    if (position !== "latest")
      return { position: { channelName: name, msgId: undefined, msgGroup: subscription, timestamp: zeroTick }, done: new Set() };
    const none = beforeAllIds(this.#world.backend);
    const done = new Set(records.map(({ id }) => int64Of(id)));
    return { position: unreadPosition(name, subscription, records.at(-1)?.id, zeroTick, none), done };
  }

  /** A life goes on with the same channels, where the last pack that was handled ended. */
  async #restart(how: "closed" | "killed", asking: boolean): Promise<void> {
    if (asking) this.#ask();
    else await this.#settle();
    const channels = [...this.#book.places.keys()];
    if (!asking || how === "killed") await this.#settle();
    if (how === "closed") await this.#stream.close();
    await this.#settleEnded(how);
    await this.#world.restart(how);
    this.#inHand = undefined;
    this.#nowhere.clear();
    this.#producer = undefined;
    this.#stream = await newStream(this.#world, this.#options);
    const logs = this.#logs.filter(({ name }) => channels.includes(name));
    this.#book.beginAnew(new Map(logs.map((log) => [log.name, this.#placeFor(log, "resume")])));
    await this.#stream.asConsumer(channels, subscription);
    this.done.resumed += this.#kept.size > 0 ? 1 : 0;
  }

  /** Whoever waited for a pack of a stream that is closed has an answer, and what came in that moment is nobody's. */
  async #settleEnded(how: "closed" | "killed"): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    must(
      how === "killed" || this.#asked === undefined || this.#asked.outcome !== undefined,
      () => "a consume ends when its stream is closed",
    );
    this.#asked = undefined;
  }

  async #seek({
    pack,
    channel,
    busy,
  }: {
    readonly pack: number;
    readonly channel: number | undefined;
    readonly busy: boolean;
  }): Promise<void> {
    const { ends } = this.#book;
    const only = channel === undefined ? undefined : this.#log(channel).name;
    const places = [...(ends[pack % (ends.length || 1)] ?? [])].filter(
      ([name]) => (only === undefined || name === only) && (this.#book.places.has(name) || this.#nowhere.has(name)),
    );
    if (places.length > 0) await this.#move(new Map(places), busy);
  }

  async #seekTick({
    channel,
    ago,
    record,
  }: {
    readonly channel: number;
    readonly ago: number;
    readonly record: number | undefined;
  }): Promise<void> {
    const { name, records } = this.#log(channel);
    if (this.#options.idle || !(this.#book.places.has(name) || this.#nowhere.has(name))) return;
    const timestamp = timeTickFrom(this.#clock - BigInt(ago));
    const from = record === undefined ? undefined : records[record % (records.length || 1)]?.id;
    const before = records.filter(({ id }) => from !== undefined && id.compare(from) < 0);
    const position: MsgPosition = { channelName: name, msgId: from, msgGroup: "", timestamp };
    const skips = { from: from === undefined ? 0n : int64Of(from), timestamp };
    await this.#move(new Map([[name, { position, done: new Set(before.map(({ id }) => int64Of(id))), skips }]]), false);
  }

  async #move(places: ReadonlyMap<string, Place>, busy: boolean): Promise<void> {
    await this.#settle();
    // Whoever waits could be given a pack while the seek is on its way, and nobody could say of which way.
    const writing = busy && this.#asked === undefined ? this.#tickAll() : Promise.resolve();
    await this.#stream.seek([...places.values()].map(({ position }) => positionFromBytes(positionToBytes(position), this.#world.backend)));
    await writing;
    this.#inHand = undefined;
    for (const name of places.keys()) this.#nowhere.delete(name);
    this.#book.beginAnew(new Map([...this.#book.places, ...places]));
    this.done.seeks++;
    await this.#settle();
  }

  #log(at: number): Log {
    const log = this.#logs[at];
    if (log === undefined) throw new Error("four channels there are");
    return log;
  }
}

const gaveUp = new Error("gave up");

function newStream({ factory }: World, { alignment, idle, dedupe, alignBytes }: LifeOptions): Promise<MsgStream> {
  return factory.newTtMsgStream({ alignment, dedupe, alignBytes, idleMs: idle ? idleMs : undefined });
}
