/** How `consume` writes messages. */
import type { Abortable } from "../base/closable.js";
import type { ConsumerMessage } from "../rocksmq/index.js";
import { fit } from "./cell.js";
import { encodeMessage, messageHead, messageRow } from "./message-text.js";
import type { Output } from "./output.js";

/** Takes messages, and resolves once they are out. */
export interface MessageWriter {
  print(messages: readonly ConsumerMessage[], options?: Abortable): Promise<void>;
}

/** How messages become bytes on stdout. */
export type OutputFormat = "lines" | "ndjson" | "table" | "bytes";

const lineFeed = Buffer.from("\n");

/** Writes to one output in one format. */
export class MessagePrinter implements MessageWriter {
  readonly #stdout: Output;
  readonly #format: OutputFormat;
  #headDue: boolean;

  constructor(stdout: Output, format: OutputFormat) {
    this.#stdout = stdout;
    this.#format = format;
    this.#headDue = format === "table";
  }

  /** Resolves once stdout has taken all of them; aborted before that, it rejects. */
  async print(messages: readonly ConsumerMessage[], options: Abortable = {}): Promise<void> {
    if (this.#headDue) await this.#stdout.lines([fit(messageHead, this.#stdout.columns)]);
    this.#headDue = false;
    await this.#stdout.write(this.#encode(messages), options);
  }

  #encode(messages: readonly ConsumerMessage[]): string | Uint8Array {
    switch (this.#format) {
      case "lines":
        return Buffer.concat(messages.flatMap(({ payload }) => [payload, lineFeed]));
      case "bytes":
        return Buffer.concat(messages.map(({ payload }) => payload));
      case "ndjson":
        return messages.map((message) => `${encodeMessage(message)}\n`).join("");
      case "table":
        return messages.map((message) => `${messageRow(message, this.#stdout.columns)}\n`).join("");
    }
  }
}
