/**
 * As much of Redis's protocol as a benchmark needs: commands out, and in the stream of answers where each ends.
 *
 *     *3\r\n $4\r\nXADD\r\n …            a command is an array of byte strings
 *     +OK\r\n   -ERR …\r\n   :7\r\n   $5\r\nhello\r\n   $-1\r\n
 */

/** A command as it is sent. */
export function encodeCommand(parts: readonly (string | Uint8Array)[]): Buffer {
  const bytes = parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part));
  const head = Buffer.from(`*${bytes.length}\r\n`);
  return Buffer.concat([head, ...bytes.flatMap((part) => [Buffer.from(`$${part.length}\r\n`), part, Buffer.from("\r\n")])]);
}

/** Answers without arrays, cut out of a stream whatever its pieces are. */
export class AnswerReader {
  #rest: Buffer = Buffer.alloc(0);

  /** The answers that end in this piece, as text. @throws when one of them is an error */
  push(piece: Buffer): string[] {
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const answers: string[] = [];
    for (let answer = this.#next(); answer !== undefined; answer = this.#next()) answers.push(answer);
    return answers;
  }

  #next(): string | undefined {
    const lineEnd = this.#rest.indexOf("\r\n");
    if (lineEnd < 0) return undefined;
    const kind = String.fromCharCode(this.#rest[0] ?? 0);
    const line = this.#rest.toString("latin1", 1, lineEnd);
    if (kind === "-") throw new Error(`redis-server: ${line}`);
    if (kind !== "$" && kind !== "+" && kind !== ":") throw new Error(`redis-server answered with what is not expected: ${kind}${line}`);
    // A string follows, unless there is none (-1).
    const length = kind === "$" ? Number(line) : -1;
    const end = lineEnd + 2 + (length < 0 ? 0 : length + 2);
    if (this.#rest.length < end) return undefined;
    const answer = length < 0 ? line : this.#rest.toString("latin1", lineEnd + 2, end - 2);
    this.#rest = this.#rest.subarray(end);
    return answer;
  }
}
