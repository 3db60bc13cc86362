/**
 * Messages of Milvus as text, one JSON object a line: what each is, when, of which collection, and of an insert the rows.
 *
 *     {"id":"470802376086519921","type":"insert","timestamp":"4708…","at":"2026-11-29T…","collection":"films","rows":"2","columns":{"pk":["1","2"],…}}
 *
 * What is no message of Milvus stands there with what is wrong with it, so that one bad record hides no other.
 */
import type { Abortable } from "../base/closable.js";
import { isTidemarkError } from "../base/errors.js";
import { int64MessageId, MilvusViewer } from "../message/index.js";
import type { ConsumerMessage } from "../rocksmq/index.js";
import { time } from "./figures.js";
import { json } from "./json.js";
import type { MessageWriter } from "./message-printer.js";
import type { Output } from "./output.js";

/** Writes to one output. */
export class MilvusPrinter implements MessageWriter {
  readonly #stdout: Output;
  readonly #viewer = new MilvusViewer();
  /** Told in every line where messages of several channels come. */
  readonly #channel: string | undefined;

  constructor(stdout: Output, channel?: string) {
    this.#stdout = stdout;
    this.#channel = channel;
  }

  /** Resolves once stdout has taken all of them; aborted before that, it rejects. */
  async print(messages: readonly ConsumerMessage[], options: Abortable = {}): Promise<void> {
    await this.#stdout.write(messages.map((message) => `${this.#line(message)}\n`).join(""), options);
  }

  #line(message: ConsumerMessage): string {
    const { id, timeMs, payload, properties } = message;
    const place = { ...(this.#channel === undefined ? {} : { channel: this.#channel }), id };
    try {
      return json({ ...place, ...this.#viewer.view({ payload, properties }, int64MessageId("rocksmq", id)) });
    } catch (error) {
      if (!isTidemarkError(error)) throw error;
      return json({ ...place, time: time(timeMs), error: error.message, payloadBase64: payload, properties });
    }
  }
}
