/**
 * Kills a writer again and again, and looks after each kill at what it has left:
 *
 *     writer ─✂─ look ─ writer ─✂─ open, compare, close ─ writer ─✂─ look ─ … ─ open, compare
 *
 * "Look" opens for reading only, so that the next writer finds the queue as the kill has left it, and may be killed in its recovery.
 */
import { randomInt } from "node:crypto";
import type { Clock } from "../../base/clock.js";
import type { RocksMq } from "../../rocksmq/index.js";
import type { Problem } from "./channel-books.js";
import { round, takeAim } from "./round.js";
import { TortureBooks, type Heard } from "./torture-books.js";
import { droppedAtOpen, lookAtTortured, openTortured } from "./torture-queue.js";

/** Enough for a person to see what is wrong. */
const mostProblems = 20;

/** How it went. */
export interface TortureReport extends Heard {
  readonly folder: string;
  seconds: number;
  kills: number;
  /** Of them, while the writer was opening the queue: in the middle of a recovery, mostly. */
  killsInOpening: number;
  /** Times that everything was read and compared. */
  checks: number;
  messagesRead: number;
  /** The slowest open after a kill. */
  slowestOpenMs: number;
  /** Empty when all is well. */
  problems: readonly Problem[];
}

/** What it is run with. */
export interface TortureOptions {
  readonly folder: string;
  readonly seconds: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onProgress: (report: TortureReport) => void;
}

/** Runs until the time is over, something is wrong, or it is aborted (then it rejects with the reason). */
export async function torture(options: TortureOptions): Promise<TortureReport> {
  const run = new TortureRun(options);
  try {
    await run.all();
  } finally {
    run.report.seconds = run.elapsedSeconds;
  }
  return run.report;
}

class TortureRun {
  readonly report: TortureReport;
  readonly #o: TortureOptions;
  readonly #books = new TortureBooks();
  readonly #beganMs: number;

  constructor(options: TortureOptions) {
    this.#o = options;
    this.#beganMs = options.clock.monotonicMs();
    const counts = { seconds: 0, kills: 0, killsInOpening: 0, checks: 0, messagesRead: 0, slowestOpenMs: 0 };
    this.report = { folder: options.folder, ...counts, ...this.#books.heard, problems: [] };
  }

  get elapsedSeconds(): number {
    return (this.#o.clock.monotonicMs() - this.#beganMs) / 1000;
  }

  async all(): Promise<void> {
    for (let number = 1; this.report.problems.length === 0; number++) {
      const isLast = this.elapsedSeconds >= this.#o.seconds && number > 1;
      if (!isLast) await this.#round(number);
      this.#o.signal.throwIfAborted();
      await this.#check(isLast || randomInt(2) === 0 ? "open" : "look");
      this.#o.onProgress(this.report);
      if (isLast) return;
    }
  }

  async #round(number: number): Promise<void> {
    // The first one must get as far as making the queue.
    const aim = number === 1 ? ({ from: "open", afterMs: 500 } as const) : takeAim();
    const hit = await round(number, aim, { ...this.#o, books: this.#books });
    this.report.kills += 1;
    if (hit === "opening") this.report.killsInOpening += 1;
  }

  async #check(how: "open" | "look"): Promise<void> {
    const { clock, folder } = this.#o;
    const openedAt = clock.monotonicMs();
    const mq = await (how === "open" ? openTortured(folder) : lookAtTortured(folder));
    if (how === "open") this.report.slowestOpenMs = Math.max(this.report.slowestOpenMs, clock.monotonicMs() - openedAt);
    try {
      await this.#compare(mq, how);
    } finally {
      await mq.close();
    }
  }

  async #compare(mq: RocksMq, how: "open" | "look"): Promise<void> {
    if (how === "open") this.#books.opened(await droppedAtOpen(mq));
    const { problems, messages } = await this.#books.check(mq);
    this.report.checks += 1;
    this.report.messagesRead += messages;
    Object.assign(this.report, this.#books.heard);
    this.report.problems = [...this.#books.problems, ...problems].slice(0, mostProblems);
  }
}
