/**
 * What was read of a channel and is in no pack yet, in the order of the log.
 *
 *     [ a@19 b@3 T5 ] [ c@14 d@7 T11 ] [ e@12 …        a chunk ends with a tick; each knows the least tick in it
 *
 * A release looks into those chunks only that have something for it: a channel that is far ahead holds many.
 */
import { type MessageId, type TimeTick, timeTickFrom, type TsMsg } from "../../message/index.js";
import type { StreamRecord } from "../stream-record.js";

interface HeldRecord extends StreamRecord {
  readonly msg: TsMsg;
}

interface Chunk {
  records: HeldRecord[];
  /** Of all records in it, the ticks too. */
  least: TimeTick;
}

/** What a release gave. */
export interface Released {
  readonly msgs: readonly TsMsg[];
  /** Of the messages among them. */
  readonly bytes: number;
  readonly late: number;
}

/** Messages and ticks of one channel. */
export class HeldRecords {
  #chunks: Chunk[] = [];
  /** Whether the next record goes into the last chunk. */
  #open = false;
  #bytes = 0;

  /** Of everything held. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The first of them in the log; undefined when nothing is held. */
  get firstId(): MessageId | undefined {
    return this.#chunks[0]?.records[0]?.id;
  }

  /** Behind all that is held. */
  push(id: MessageId, msg: TsMsg, bytes: number): void {
    const last = this.#open ? this.#chunks.at(-1) : undefined;
    if (last === undefined) this.#chunks.push({ records: [{ id, msg, bytes }], least: msg.endTs });
    else {
      last.records.push({ id, msg, bytes });
      if (msg.endTs < last.least) last.least = msg.endTs;
    }
    this.#open = msg.type !== "timeTick";
    this.#bytes += bytes;
  }

  /** Takes out what is not after `upTo`: the messages are given, those that are not after `from` as late ones; the ticks are gone. */
  release(from: TimeTick, upTo: TimeTick): Released {
    const msgs: TsMsg[] = [];
    let bytes = 0;
    let late = 0;
    let emptied = false;
    for (const chunk of this.#chunks) {
      if (chunk.least > upTo) continue;
      const kept: HeldRecord[] = [];
      for (const record of chunk.records) {
        if (record.msg.endTs > upTo) kept.push(record);
        else {
          this.#bytes -= record.bytes;
          if (record.msg.type === "timeTick") continue;
          bytes += record.bytes;
          const isLate = record.msg.endTs <= from;
          msgs.push(isLate ? { ...record.msg, late: true } : record.msg);
          if (isLate) late++;
        }
      }
      chunk.records = kept;
      chunk.least = leastOf(kept);
      emptied ||= kept.length === 0;
    }
    if (emptied) this.#dropEmpty();
    return { msgs, bytes, late };
  }

  #dropEmpty(): void {
    const last = this.#chunks.at(-1);
    this.#open &&= last !== undefined && last.records.length > 0;
    this.#chunks = this.#chunks.filter((chunk) => chunk.records.length > 0);
  }
}

/** What an empty chunk waits for, for the moment that it is still there. */
const endOfTime = timeTickFrom(2n ** 64n - 1n);

/** Asked of what is left in a chunk; an empty one is dropped right after. */
function leastOf(records: readonly HeldRecord[]): TimeTick {
  return records.reduce((least, { msg }) => (msg.endTs < least ? msg.endTs : least), records[0]?.msg.endTs ?? endOfTime);
}
