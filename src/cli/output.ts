/**
 * One of the two streams that a program speaks through, with an honest answer to "has it been taken?".
 *
 * When the reader at the other end has gone (`| head`), every write rejects with `ReaderGone`.
 */
import type { Writable } from "node:stream";
import type { Abortable } from "../base/closable.js";
import { systemCode } from "../base/system-error.js";
import { Failure, ReaderGone, sentenceOf } from "./failure.js";

/** A stream that may be a terminal. */
export interface TerminalStream extends Writable {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** stdout or stderr. */
export class Output {
  /** Lines may be redrawn. */
  readonly isTerminal: boolean;
  readonly #stream: TerminalStream;
  readonly #name: string;
  readonly #colour: boolean;
  #broken: Error | undefined;

  /** @param name for the errors: the system's don't have it */
  constructor(stream: TerminalStream, name: string, env: Readonly<Record<string, string | undefined>>) {
    this.#stream = stream;
    this.#name = name;
    this.isTerminal = stream.isTTY === true && env["TERM"] !== "dumb";
    // As no-color.org has it: present and not empty.
    this.#colour = this.isTerminal && (env["NO_COLOR"] ?? "") === "";
    stream.on("error", (error: Error) => {
      this.#broken ??= this.#refusal(error);
    });
  }

  /** The terminal's width, at most 100; 100 when it is none, or does not know its own (and says 0). */
  get columns(): number {
    return Math.min(100, (this.isTerminal && this.#stream.columns) || 100);
  }

  /** How wide a table may be: as the terminal; elsewhere nothing is cut. */
  get tableColumns(): number | undefined {
    return this.isTerminal ? this.columns : undefined;
  }

  /**
   * Resolves once the system has taken all of it: a pipe's buffer, a file, a terminal.
   *
   * @throws `ReaderGone`; the system's error when a file can't grow; `signal.reason` if aborted before all is taken: a part may be.
   */
  write(data: string | Uint8Array, { signal }: Abortable = {}): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        const reason: unknown = signal?.reason;
        reject(reason);
      };
      if (this.#broken !== undefined) {
        reject(this.#broken);
        return;
      }
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#stream.write(data, (error) => {
        signal?.removeEventListener("abort", onAbort);
        if (error === undefined || error === null) resolve();
        else reject(this.#refusal(error));
      });
    });
  }

  /** `write` with an end of line behind each. */
  lines(lines: readonly string[]): Promise<void> {
    return this.write(lines.map((line) => `${line}\n`).join(""));
  }

  bold(text: string): string {
    return this.#styled(text, 1);
  }

  dim(text: string): string {
    return this.#styled(text, 2);
  }

  good(text: string): string {
    return this.#styled(text, 32);
  }

  bad(text: string): string {
    return this.#styled(text, 31);
  }

  #refusal(error: Error): Error {
    if (systemCode(error) === "EPIPE") return new ReaderGone("nobody reads on");
    return new Failure(`can't write to ${this.#name}: ${sentenceOf(error)}`, { cause: error });
  }

  #styled(text: string, code: number): string {
    return this.#colour ? `\u001b[${code}m${text}\u001b[0m` : text;
  }
}
