import { checkOptions } from "../../base/arguments.js";
import type { Abortable } from "../../base/closable.js";
import { int64MessageId, type MessageId, type WireMessage } from "../../message/index.js";
import type { RocksMq } from "../../rocksmq/index.js";
import type { LogWriter } from "../log-backend.js";
import { closedError } from "../refusals.js";

/** A group is a batch of the queue: all or none, with consecutive ids. */
export class RocksMqWriter implements LogWriter {
  readonly #mq: RocksMq;
  readonly #channel: string;
  readonly #onClose: () => void;
  readonly #inFlight = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(mq: RocksMq, channel: string, onClose: () => void) {
    this.#mq = mq;
    this.#channel = channel;
    this.#onClose = onClose;
  }

  async append(records: readonly WireMessage[], options: Abortable = {}): Promise<readonly MessageId[]> {
    if (this.#closing !== undefined) throw closedError("writer");
    checkOptions(options, { signal: true });
    const producing = this.#mq.produce(this.#channel, records, options);
    this.#inFlight.add(producing);
    try {
      const { firstId, count } = await producing;
      return Array.from({ length: count }, (_, at) => int64MessageId("rocksmq", firstId + BigInt(at)));
    } finally {
      this.#inFlight.delete(producing);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#onClose();
    await Promise.allSettled(this.#inFlight);
  }
}
