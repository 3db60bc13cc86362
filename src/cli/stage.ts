/**
 * Where the tour speaks: lines that stay, and, on a terminal only, lines that are redrawn while something runs.
 */
import { stripVTControlCharacters } from "node:util";
import type { Clock } from "../base/clock.js";
import { fit, widthOf } from "./cell.js";
import type { Output } from "./output.js";

/** Redraws this often. */
const everyMs = 100;

/** Writes to one output. */
export class Stage {
  readonly out: Output;
  readonly #clock: Clock;

  constructor(out: Output, clock: Clock) {
    this.out = out;
    this.#clock = clock;
  }

  /** Resolves once the line is taken. */
  line(text = ""): Promise<void> {
    return this.out.lines([text]);
  }

  /** The head of a step. */
  async step(number: number, title: string, text: string): Promise<void> {
    await this.out.lines(["", `${this.out.bold(`${number}  ${title.padEnd(8)}`)}  ${text}`]);
  }

  /** Shows `lines` anew until `work` settles, then takes them away; resolves or rejects as `work` does. */
  async during<T>(work: Promise<T>, lines: () => readonly string[]): Promise<T> {
    if (!this.out.isTerminal) return work;
    let drawn = 0;
    let drawing = Promise.resolve();
    let cancel = (): void => undefined;
    const draw = (): void => {
      const now = lines().map((line) => this.#narrowed(line));
      // One write a frame: what is half drawn flickers.
      drawing = this.out.write(erase(drawn) + now.map((line) => `${line}\n`).join(""));
      // A terminal that is gone is found by the next line that stays.
      drawing = drawing.catch(() => undefined);
      drawn = now.length;
      cancel = this.#clock.setTimer(everyMs, draw);
    };
    draw();
    try {
      return await work;
    } finally {
      cancel();
      await drawing;
      await this.out.write(erase(drawn));
    }
  }

  /** A line that wraps would be two, and the next redraw would leave one of them behind. */
  #narrowed(line: string): string {
    const plain = stripVTControlCharacters(line);
    return widthOf(plain) < this.out.columns ? line : fit(plain, this.out.columns - 1);
  }
}

/** Up over what was drawn, and everything from there on away. */
function erase(lines: number): string {
  return lines === 0 ? "" : `\u001b[${lines}A\r\u001b[J`;
}
