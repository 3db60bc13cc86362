import { int64MessageId } from "../../message/index.js";
import type { ConsumerMessage, FollowingReader, StreamQueue } from "../../rocksmq/index.js";
import type { LogRecord } from "../log-backend.js";
import type { RecordSource } from "../pulled-reader.js";
import { placeRefused } from "./place-refused.js";

/** Records out of a queue's reader that follows. */
export class RocksMqSource implements RecordSource {
  readonly #mq: StreamQueue;
  readonly #reader: FollowingReader;
  readonly #batches: AsyncIterator<ConsumerMessage[], undefined>;
  readonly #channel: string;

  constructor(mq: StreamQueue, reader: FollowingReader, channel: string) {
    this.#mq = mq;
    this.#reader = reader;
    this.#batches = reader[Symbol.asyncIterator]();
    this.#channel = channel;
  }

  get atTail(): boolean {
    return this.#reader.atEnd;
  }

  whenAtTail(f: () => void): void {
    this.#reader.whenAtEnd(f);
  }

  async fetch(): Promise<readonly LogRecord[] | undefined> {
    try {
      const { value } = await this.#batches.next();
      return value?.map(recordOf);
    } catch (error) {
      throw await placeRefused(this.#mq, this.#channel, error);
    }
  }

  stop(): Promise<void> {
    return this.#reader.close();
  }
}

function recordOf({ id, timeMs, properties, payload }: ConsumerMessage): LogRecord {
  return { id: int64MessageId("rocksmq", id), timeMs, properties, payload };
}
