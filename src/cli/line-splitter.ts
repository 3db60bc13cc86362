/**
 * Cuts chunks of a stream into lines, byte for byte: only the line feed goes, and a last line without one counts too.
 *
 *     chunks   "ab" "c\nde" "f\n" "g"      lines   "abc" "def" "g"
 *
 * It holds one unfinished line and never more than `longest` bytes of it.
 */
import { Failure } from "./failure.js";

const lineFeed = 10;

/** Feed it chunks, take lines. */
export class LineSplitter {
  readonly #longest: number;
  readonly #source: string;
  #unfinished: Uint8Array[] = [];
  #unfinishedBytes = 0;
  #lines = 0;

  /** @param source what the lines come from, for the error */
  constructor(options: { readonly longest: number; readonly source: string }) {
    this.#longest = options.longest;
    this.#source = options.source;
  }

  /** The lines that end in this chunk. They are views into it. */
  push(chunk: Uint8Array): Uint8Array[] {
    const lines: Uint8Array[] = [];
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      lines.push(this.#finished(chunk.subarray(start, end)));
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
    return lines;
  }

  /** The line that no line feed ended, if there is one. */
  end(): Uint8Array[] {
    return this.#unfinished.length === 0 ? [] : [this.#finished(new Uint8Array(0))];
  }

  #finished(tail: Uint8Array): Uint8Array {
    this.#check(tail);
    this.#lines += 1;
    if (this.#unfinished.length === 0) return tail;
    const line = Buffer.concat([...this.#unfinished, tail]);
    this.#unfinished = [];
    this.#unfinishedBytes = 0;
    return line;
  }

  #keep(part: Uint8Array): void {
    this.#check(part);
    this.#unfinished.push(part);
    this.#unfinishedBytes += part.length;
  }

  #check(part: Uint8Array): void {
    if (this.#unfinishedBytes + part.length <= this.#longest) return;
    throw new Failure(
      `line ${this.#lines + 1} of ${this.#source} is longer than ${this.#longest} bytes: split it, or use --format bytes for one large message`,
    );
  }
}
