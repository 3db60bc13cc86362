/** One writer's life: started, listened to, killed at a moment that nobody chose. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Clock } from "../../base/clock.js";
import { Failure } from "../failure.js";
import type { TortureBooks } from "./torture-books.js";

type Writer = ChildProcessByStdio<null, Readable, Readable>;

/** What a round works with. */
export interface RoundSetting {
  readonly folder: string;
  readonly books: TortureBooks;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What was said in rounds before them is trimmed by now. */
const recordsKept = 20;

/** When the writer is killed: so long after it has begun to open the queue, or after it has said that it is open. */
export type Aim = { readonly from: "start" | "open"; readonly afterMs: number };

/** Where the kill has hit. */
export type Hit = "opening" | "writing";

/** A third in the opening, which is a recovery most of the time; the rest in the work, soon or late. */
export function takeAim(): Aim {
  if (randomInt(3) === 0) return { from: "start", afterMs: randomInt(40, 160) };
  return { from: "open", afterMs: randomInt(4) === 0 ? randomInt(0, 30) : randomInt(30, 700) };
}

/** Resolves once the writer is dead and all that it said is heard. */
export async function round(number: number, aim: Aim, setting: RoundSetting): Promise<Hit> {
  const { folder, clock, signal } = setting;
  const program = fileURLToPath(new URL("./writer.js", import.meta.url));
  const writer: Writer = spawn(process.execPath, [program, folder, String(number)], { stdio: ["ignore", "pipe", "pipe"] });
  const closed = once(writer, "close");
  // A writer that can't even be started is heard of below, but must not end the process before.
  closed.catch(() => undefined);
  const kill = (): boolean => writer.kill("SIGKILL");
  signal.addEventListener("abort", kill, { once: true });
  const ear = new Ear(number, setting, (from) => {
    if (from === aim.from) clock.setTimer(aim.afterMs, kill, { keepAlive: true });
  });
  try {
    ear.onMoment("start");
    const [, complaint] = await Promise.all([closed, textOf(writer.stderr), ear.listen(writer.stdout)]);
    signal.throwIfAborted();
    if (writer.signalCode !== "SIGKILL") throw new Failure(`the writer of round ${number} ended by itself: ${reasonIn(complaint, writer)}`);
    return ear.isOpen ? "writing" : "opening";
  } finally {
    signal.removeEventListener("abort", kill);
    kill();
  }
}

/** Takes lines apart. */
class Ear {
  readonly #round: number;
  readonly #setting: RoundSetting;
  readonly onMoment: (moment: Aim["from"]) => void;
  isOpen = false;
  #unfinished = "";

  constructor(number: number, setting: RoundSetting, onMoment: (moment: Aim["from"]) => void) {
    this.#round = number;
    this.#setting = setting;
    this.onMoment = onMoment;
  }

  async listen(stdout: Readable): Promise<void> {
    const { folder } = this.#setting;
    rmSync(recordOf(folder, this.#round - recordsKept), { force: true });
    for await (const text of stdout.setEncoding("utf8")) {
      appendFileSync(recordOf(folder, this.#round), String(text));
      this.#hear(String(text));
    }
  }

  /** A last line without its end was cut by the kill: nobody was told that. */
  #hear(text: string): void {
    const lines = (this.#unfinished + text).split("\n");
    this.#unfinished = lines.pop() ?? "";
    for (const line of lines) {
      this.#setting.books.hear(line, this.#round);
      if (!line.startsWith("open ")) continue;
      this.isOpen = true;
      this.onMoment("open");
    }
  }
}

/** What a writer said, as evidence. */
function recordOf(folder: string, number: number): string {
  return join(folder, `acks-${number}.log`);
}

async function textOf(stream: Readable): Promise<string> {
  let text = "";
  for await (const part of stream.setEncoding("utf8")) text += String(part);
  return text;
}

function reasonIn(complaint: string, { exitCode, signalCode }: Writer): string {
  return complaint.split("\n").find((line) => line.includes("Error")) ?? `exit code ${exitCode}, signal ${signalCode}`;
}
