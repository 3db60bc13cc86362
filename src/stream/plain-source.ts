/**
 * Packs of a plain stream: what one channel has there already, in its order; channels among each other as they come.
 */
import type { Clock } from "../base/clock.js";
import { closeAll, closeTogether } from "../base/close-all.js";
import type { LogReader, LogRecord } from "../backend/index.js";
import type { MsgPack, MsgPosition, TimeTick, TsMsg } from "../message/index.js";
import { Bell } from "./bell.js";
import type { PackQueue } from "./pack-queue.js";
import type { PackSource } from "./pack-source.js";
import type { PlacedReader } from "./place-in-channel.js";
import type { RecordReader } from "./record-reader.js";
import { retried } from "./retried.js";

/** One loop a channel. */
export class PlainSource implements PackSource {
  readonly #queue: PackQueue;
  readonly #records: RecordReader;
  readonly #clock: Clock;
  readonly #readers: PlacedReader[] = [];
  readonly #loops: Promise<void>[] = [];
  readonly #room = new Bell();
  readonly #closing = new AbortController();
  #begun = false;

  constructor(queue: PackQueue, records: RecordReader, clock: Clock) {
    this.#queue = queue;
    this.#records = records;
    this.#clock = clock;
    queue.whenRoom(() => this.#room.ring());
  }

  add(placed: PlacedReader): void {
    this.#readers.push(placed);
    if (this.#begun) this.#loops.push(this.#run(placed));
  }

  begin(): void {
    this.#begun = true;
    for (const placed of this.#readers) this.#loops.push(this.#run(placed));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#room.ring();
    await closeAll(
      () => closeTogether(this.#readers.map(({ reader }) => reader)),
      () => Promise.all(this.#loops),
    );
  }

  async #run({ reader, place }: PlacedReader): Promise<void> {
    const { channelName, msgGroup } = place.position;
    try {
      for (let batch = await this.#next(reader); batch !== undefined; batch = await this.#next(reader))
        this.#push(batch, channelName, msgGroup);
    } catch (error) {
      this.#queue.fail(error);
    }
  }

  async #next(reader: LogReader): Promise<readonly LogRecord[] | undefined> {
    while (this.#queue.full && !this.#closing.signal.aborted) await this.#room.rung();
    return retried(reader, this.#clock, this.#closing.signal);
  }

  #push(batch: readonly LogRecord[], channel: string, group: string): void {
    const msgs: TsMsg[] = [];
    let bytes = 0;
    try {
      for (const record of batch) {
        const read = this.#records.read(record, channel, group);
        if (read.msg === undefined) continue;
        msgs.push(read.msg);
        bytes += read.bytes;
      }
    } finally {
      // What came before a poisoned one is handed over before the stream ends.
      const pack = packOf(msgs);
      if (pack !== undefined && !this.#closing.signal.aborted) this.#queue.push({ pack, bytes, late: none });
    }
  }
}

const none: ReadonlyMap<string, number> = new Map();

/** Spans its messages; undefined when there are none. */
function packOf(msgs: readonly TsMsg[]): MsgPack | undefined {
  const [first, last] = [msgs[0], msgs.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  let beginTs: TimeTick = first.beginTs;
  let endTs: TimeTick = first.endTs;
  for (const msg of msgs) {
    if (msg.beginTs < beginTs) beginTs = msg.beginTs;
    if (msg.endTs > endTs) endTs = msg.endTs;
  }
  return { beginTs, endTs, msgs, startPositions: positions(first), endPositions: positions(last) };
}

function positions({ position }: TsMsg): readonly MsgPosition[] {
  return position === undefined ? [] : [position];
}
