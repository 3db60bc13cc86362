/**
 * What `produce` reads, as arrays of messages: each holds what has come in so far, so that a slow pipe is not waited for, and at most `batch`.
 */
import type { Readable } from "node:stream";
import type { ProducerMessage } from "../rocksmq/index.js";
import { Failure } from "./failure.js";
import { LineSplitter } from "./line-splitter.js";
import { decodeMessage } from "./message-text.js";

/** How bytes become messages. */
export type InputFormat = "lines" | "ndjson" | "bytes";

/** The queue's default for one message. */
export const messageLimit = 16 * 1024 * 1024;
/** JSON and base64 take more room than what they stand for. */
const jsonLineLimit = 4 * messageLimit;

/** @param source what `input` is, for errors */
export async function* readMessages(
  input: Readable,
  options: { readonly format: InputFormat; readonly batch: number; readonly source: string },
): AsyncGenerator<readonly ProducerMessage[], void> {
  if (options.format === "bytes") {
    yield [{ payload: await wholeInput(input, options.source) }];
    return;
  }
  const { format, batch, source } = options;
  const splitter = new LineSplitter({ longest: format === "ndjson" ? jsonLineLimit : messageLimit, source });
  let line = 0;
  const toMessage = (bytes: Uint8Array): ProducerMessage => {
    line += 1;
    return format === "ndjson" ? decodeMessage(bytes, `line ${line} of ${source}`) : { payload: bytes };
  };
  for await (const chunk of input) yield* slices(splitter.push(chunk as Uint8Array), batch, toMessage);
  yield* slices(splitter.end(), batch, toMessage);
}

/** Message by message turned only when its batch is due: a bad line must not keep back the good ones of the batches before it. */
function* slices(
  lines: readonly Uint8Array[],
  batch: number,
  toMessage: (line: Uint8Array) => ProducerMessage,
): Generator<ProducerMessage[]> {
  for (let at = 0; at < lines.length; at += batch) yield lines.slice(at, at + batch).map(toMessage);
}

async function wholeInput(input: Readable, source: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    const part = chunk as Uint8Array;
    size += part.length;
    if (size > messageLimit)
      throw new Failure(`${source} is longer than ${messageLimit} bytes, the most that one message may hold: split it`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
