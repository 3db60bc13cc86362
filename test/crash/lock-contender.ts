/**
 * A child process that tries for a directory's lock when it is told to, and may be stopped or killed at any moment of it.
 *
 *     parent ─▶ "try 12"      take the lock; kill yourself after 12 turns of the event loop (-1: don't)
 *               "release"
 *     child  ─▶ "held" · "locked <pid>" · "failed <code>" · "released"
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const nodeVfs = new URL("../../dist/base/node-vfs.js", import.meta.url).href;

const program = `
import { createInterface } from "node:readline";
import { NodeVfs } from ${JSON.stringify(nodeVfs)};
const disk = new NodeVfs();
const dir = process.argv[1];
const say = (text) => process.stdout.write(text + "\\n");
const killAfter = (turns) => turns === 0 ? process.kill(process.pid, "SIGKILL") : setImmediate(killAfter, turns - 1);
let lock;
const commands = {
  try: async (turns) => {
    if (turns >= 0) killAfter(turns);
    try {
      lock = await disk.lock(dir);
      say("held");
    } catch (error) {
      say(error.code === "locked" ? "locked " + error.details.pid : "failed " + error.code + " " + error.message);
    }
  },
  release: async () => {
    await lock.release();
    say("released");
  },
};
if (process.argv[2] === "once") await commands.try(-1);
else for await (const line of createInterface({ input: process.stdin })) await commands[line.split(" ")[0]](Number(line.split(" ")[1]));
`;

/** A contender's process, seen from its parent. */
export class LockContender {
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string, undefined>;
  /** Resolves with the exit code, or the signal's name, once the process is gone. */
  readonly gone: Promise<number | string>;

  /** @param once it tries once without being told to, and has nothing else to do */
  constructor(dir: string, options: { once?: boolean } = {}) {
    const args = ["--input-type=module", "-e", program, dir, options.once === true ? "once" : "told"];
    this.#child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"], cwd: fileURLToPath(new URL(".", import.meta.url)) });
    const { stdin, stdout } = this.#child;
    if (stdin === null || stdout === null) throw new Error("the contender has no pipes");
    // A child that killed itself may be told something all the same.
    stdin.on("error", () => stdin.destroy());
    this.#answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
    this.gone = once(this.#child, "exit").then(([code, signal]: (number | string | null)[]) => signal ?? code ?? -1);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Resolves with what came of it: undefined when it died meanwhile. */
  async try(options: { killAfterTurns?: number } = {}): Promise<string | undefined> {
    return this.#ask(`try ${options.killAfterTurns ?? -1}`);
  }

  async release(): Promise<void> {
    await this.#ask("release");
  }

  /** What it says next; undefined when it has died. */
  async answer(): Promise<string | undefined> {
    const result = await this.#answers.next();
    return result.value;
  }

  signal(name: "SIGSTOP" | "SIGCONT"): void {
    this.#child.kill(name);
  }

  /** Resolves once it is gone. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.gone;
  }

  async #ask(command: string): Promise<string | undefined> {
    this.#child.stdin?.write(`${command}\n`);
    return this.answer();
  }
}
