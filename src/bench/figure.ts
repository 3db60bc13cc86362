/**
 * What a benchmark says: figures, each beside what it must be, and who was measured.
 */
import { median } from "./median.js";

/** How a number is meant. "bytes" and "ms" are what they say; "ratio" and "per second" are rates; "percent" of one core. */
export type Unit = "ratio" | "per second" | "ms" | "bytes" | "percent" | "count";

/** What a figure must reach, and what it should. */
export interface Goal {
  readonly better: "more" | "less";
  readonly must: number;
  readonly stretch: number;
}

/** Who writes the log: a thread of its own with blocking calls (what a user gets), or the main thread with asynchronous ones. */
export type LogHost = "thread" | "inline";

/** One measurement a round. */
export interface Got {
  readonly median: number;
  readonly rounds: readonly number[];
}

/** One line of the report. What has nothing to do with the log's host is shown under "thread", the default. */
export interface Figure {
  readonly what: string;
  readonly unit: Unit;
  readonly goal?: Goal | undefined;
  readonly thread?: Got | undefined;
  readonly inline?: Got | undefined;
}

/** "missed": not even what it must be. */
export type Verdict = "missed" | "reached" | "stretch";

/** Undefined when there is no goal. A figure that is no number has missed it. */
export function verdictOf(value: number, goal: Goal | undefined): Verdict | undefined {
  if (goal === undefined) return undefined;
  const reaches = (bound: number): boolean => (goal.better === "more" ? value >= bound : value <= bound);
  if (!reaches(goal.must)) return "missed";
  return reaches(goal.stretch) ? "stretch" : "reached";
}

/** The rounds of one figure, collected one by one under each host. */
export class Rounds {
  readonly #what: string;
  readonly #unit: Unit;
  readonly #goal: Goal | undefined;
  readonly #values: Record<LogHost, number[]> = { thread: [], inline: [] };

  constructor(what: string, unit: Unit, goal?: Goal) {
    this.#what = what;
    this.#unit = unit;
    this.#goal = goal;
  }

  get isEmpty(): boolean {
    return this.#values.thread.length + this.#values.inline.length === 0;
  }

  add(value: number, host: LogHost = "thread"): void {
    this.#values[host].push(value);
  }

  figure(): Figure {
    const { thread, inline } = this.#values;
    return { what: this.#what, unit: this.#unit, goal: this.#goal, thread: got(thread), inline: got(inline) };
  }
}

function got(rounds: readonly number[]): Got | undefined {
  return rounds.length === 0 ? undefined : { median: median(rounds), rounds };
}
