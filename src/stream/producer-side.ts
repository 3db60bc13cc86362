/**
 * The side of a stream that writes: spreads packs over channels, and says where the messages came to lie.
 */
import { checkOptions, checkSignal, invalid } from "../base/arguments.js";
import type { Abortable } from "../base/closable.js";
import { closeAfter, closeTogether } from "../base/close-all.js";
import { isTidemarkError, TidemarkError } from "../base/errors.js";
import { Mutex } from "../base/mutex.js";
import type { LogBackend, LogWriter } from "../backend/index.js";
import { marshal, type MessageId, type TsMsg, type WireMessage } from "../message/index.js";
import { closedError } from "./consumer-side.js";
import { bucketsOf, type RepackFunc } from "./repack.js";

/** A channel that is written to. */
interface Lane {
  readonly channel: string;
  readonly writer: LogWriter;
}

/** Writes to the channels of one stream. */
export class ProducerSide {
  readonly #backend: LogBackend;
  /** Told of each channel that got something else than ticks. */
  readonly #onData: (channel: string) => void;
  /** In the order of the buckets. */
  readonly #lanes: Lane[] = [];
  /** What adds channels, one after the other: each is taken on once. */
  readonly #adding = new Mutex();
  #closed = false;
  #repack: RepackFunc;

  constructor(backend: LogBackend, repack: RepackFunc, onData: (channel: string) => void) {
    this.#backend = backend;
    this.#repack = repack;
    this.#onData = onData;
  }

  has(channel: string): boolean {
    return this.#lanes.some((lane) => lane.channel === channel);
  }

  /** All of them or none. @throws `closed` when that comes first */
  async add(channels: readonly string[]): Promise<void> {
    await this.#adding.run(() => this.#add(channels));
  }

  setRepackFunc(f: RepackFunc): void {
    if (typeof f !== "function") throw invalid("f", "a function", f);
    this.#repack = f;
  }

  async produce(msgs: readonly TsMsg[], options: Abortable): Promise<Map<string, MessageId[]>> {
    checkCall(msgs, options);
    const lanes = this.#lanesFor();
    if (msgs.length === 0) return new Map();
    const byBucket = this.#repack(msgs, bucketsOf(msgs, lanes.length));
    if (!(byBucket instanceof Map)) throw invalid("the repack function's result", "a Map from bucket to messages", byBucket);
    const groups = [...byBucket].map(([bucket, pack]) => {
      const lane = lanes[bucket];
      if (lane === undefined) throw invalid("a bucket of the repack function", `an index of one of ${lanes.length} channels`, bucket);
      if (typeof pack !== "object" || pack === null) throw invalid(`bucket ${bucket} of the repack function`, "an object with msgs", pack);
      checkMsgs("the repack function's msgs", pack.msgs);
      return { lane, msgs: pack.msgs };
    });
    return this.#write(
      groups.filter((group) => group.msgs.length > 0),
      options,
    );
  }

  async broadcast(msgs: readonly TsMsg[], options: Abortable): Promise<Map<string, MessageId[]>> {
    checkCall(msgs, options);
    if (msgs.length === 0) throw invalid("pack.msgs", "at least one message", msgs);
    const lanes = this.#lanesFor();
    return this.#write(
      lanes.map((lane) => ({ lane, msgs })),
      options,
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#adding.run(() => closeTogether(this.#lanes.map(({ writer }) => writer)));
  }

  async #add(channels: readonly string[]): Promise<void> {
    const missing = [...new Set(channels)].filter((channel) => !this.has(channel));
    const opened: Lane[] = [];
    try {
      for (const channel of missing) {
        this.#refuseClosed();
        await this.#backend.createChannel(channel, { ifNotExists: true });
        opened.push({ channel, writer: await this.#backend.openWriter(channel) });
      }
      this.#refuseClosed();
    } catch (error) {
      await closeAfter(error, () => closeTogether(opened.map(({ writer }) => writer)));
    }
    this.#lanes.push(...opened);
  }

  /** Whoever waited in line while the stream was closed makes no channel any more. */
  #refuseClosed(): void {
    if (this.#closed) throw closedError();
  }

  /** @throws `not-initialized` as long as there is none */
  #lanesFor(): readonly Lane[] {
    if (this.#lanes.length === 0) throw new TidemarkError("not-initialized", "the stream writes to no channel: call asProducer first", {});
    return this.#lanes;
  }

  /** Everything is encoded before anything is written: a message that can't be, writes nothing. */
  async #write(
    groups: readonly { readonly lane: Lane; readonly msgs: readonly TsMsg[] }[],
    options: Abortable,
  ): Promise<Map<string, MessageId[]>> {
    const encoded = groups.map(({ lane, msgs }) => ({
      lane,
      records: msgs.map(marshal),
      isData: msgs.some(({ type }) => type !== "timeTick"),
    }));
    const written = new Map<string, MessageId[]>();
    // All begin in this turn, so that produces are stored in call order on every channel.
    const outcomes = await Promise.allSettled(encoded.map(({ lane, records }) => appendTo(lane, records, options)));
    for (const [at, outcome] of outcomes.entries()) {
      const group = encoded[at];
      if (group === undefined || outcome.status === "rejected") continue;
      written.set(group.lane.channel, [...outcome.value]);
      if (group.isData) this.#onData(group.lane.channel);
    }
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (failed !== undefined) throw halfway(failed.reason, written);
    return written;
  }
}

function checkCall(msgs: readonly TsMsg[], options: Abortable): void {
  checkOptions(options, { signal: true });
  checkSignal(options.signal);
  checkMsgs("pack.msgs", msgs);
}

function appendTo({ writer }: Lane, records: readonly WireMessage[], options: Abortable): Promise<readonly MessageId[]> {
  return writer.append(records, { signal: options.signal });
}

/** The failure, with what was written in spite of it. */
function halfway(reason: unknown, written: ReadonlyMap<string, MessageId[]>): unknown {
  if (!isTidemarkError(reason)) return written.size === 0 ? reason : brokenOff(reason, written);
  const effect = written.size > 0 ? "unknown" : reason.effect;
  return new TidemarkError(reason.code, reason.message, { ...reason.details, written }, { cause: reason, retry: reason.retry, effect });
}

/** An abort came when one channel had its group already. */
function brokenOff(cause: unknown, written: ReadonlyMap<string, MessageId[]>): TidemarkError<"outcome-unknown"> {
  const text = `the pack was written to ${[...written.keys()].join(", ")} and not to its other channels`;
  return new TidemarkError("outcome-unknown", text, { written }, { cause });
}

function checkMsgs(argument: string, msgs: readonly TsMsg[]): void {
  if (!Array.isArray(msgs)) throw invalid(argument, "an array of messages", msgs);
  const wrong = msgs.findIndex((msg: unknown) => typeof msg !== "object" || msg === null || !("type" in msg) || !("hashKeys" in msg));
  if (wrong >= 0) throw invalid(`${argument}[${wrong}]`, "a message that tsMsg made", msgs[wrong]);
}
