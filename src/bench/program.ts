/**
 * A program of its own, for what can't be measured in this process: what a kill leaves, how much memory a run takes.
 *
 * It speaks in lines on stdout. It must not outlive us: its stdin is a pipe that we hold, and it ends when that does (`endWithParent`).
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

/** Started; the caller ends it. */
export class Program {
  readonly #name: string;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #lines: AsyncIterator<string>;
  readonly #gone: Promise<unknown>;
  #complaint = "";

  /** @param name of a file in programs/ */
  constructor(name: string, args: readonly string[]) {
    const path = fileURLToPath(new URL(`./programs/${name}.js`, import.meta.url));
    this.#name = name;
    this.#child = spawn(process.execPath, [path, ...args], { stdio: ["pipe", "pipe", "pipe"] });
    this.#gone = once(this.#child, "close");
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => (this.#complaint += text));
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** The rest of the next line that begins with `word`. Rejects when the program ends without one. */
  async line(word: string): Promise<string> {
    for (;;) {
      const next = await this.#lines.next();
      if (next.done === true) throw new Error(`the program ${this.#name} ended without a word of "${word}": ${this.#complaint.trim()}`);
      if (next.value === word || next.value.startsWith(`${word} `)) return next.value.slice(word.length + 1);
    }
  }

  /** As a power cut for its process. Resolves once it is gone; nothing when it is. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#gone;
  }
}

/** Starts a program, gives it to `use`, and kills it, when `signal` aborts at once. Resolves with what `use` returned. */
export async function withProgram<T>(
  call: { readonly name: string; readonly args: readonly string[]; readonly signal: AbortSignal },
  use: (program: Program) => Promise<T>,
): Promise<T> {
  call.signal.throwIfAborted();
  const program = new Program(call.name, call.args);
  const killed: Promise<void>[] = [];
  const onAbort = (): void => void killed.push(program.kill());
  call.signal.addEventListener("abort", onAbort);
  try {
    return await use(program);
  } catch (error) {
    // That it ended is then our doing.
    call.signal.throwIfAborted();
    throw error;
  } finally {
    call.signal.removeEventListener("abort", onAbort);
    await program.kill();
  }
}

/** Called by a program first of all. */
export function endWithParent(): void {
  process.stdin.on("end", () => process.exit(1)).resume();
}
