/**
 * What a channel skips after a seek: what was handled before.
 *
 *     position (msgId a, timestamp 10, readMsgId d)      a@19  b@7  T10  d@8 │ e@9  …
 *                                                        new   skip new  skip│ everything
 *
 * Without a readMsgId nobody knows how far the reader had come, so the skipping ends as in Milvus: at the first tick that is not before the timestamp.
 */
import type { MsgPosition, TimeTick } from "../../message/index.js";
import type { StreamRecord } from "../stream-record.js";
import { nothingRead } from "./place.js";

/** One channel's way through what was read before. */
export class Replay {
  readonly #position: MsgPosition;
  #over: boolean;

  constructor(position: MsgPosition) {
    this.#position = position;
    this.#over = nothingRead(position);
  }

  /** Whether everything that comes is news. */
  get over(): boolean {
    return this.#over;
  }

  /** What is at or before this tick was handled, as long as it is not over. */
  get timestamp(): TimeTick {
    return this.#position.timestamp;
  }

  /** Whether the record is news. Records come in the order of the log. */
  passes(record: StreamRecord): boolean {
    if (this.#over) return true;
    const { readMsgId } = this.#position;
    const order = readMsgId === undefined ? undefined : record.id.compare(readMsgId);
    if (order === 1) return this.#end();
    const { msg } = record;
    const isTick = msg?.type === "timeTick";
    const isAfter = msg !== undefined && msg.endTs > this.#position.timestamp;
    if (order === 0) this.#end();
    if (order === undefined && isTick && msg.endTs >= this.#position.timestamp) this.#end();
    return isTick || isAfter;
  }

  /** The channel has no more of what was read before. */
  end(): void {
    this.#end();
  }

  #end(): true {
    this.#over = true;
    return true;
  }
}
