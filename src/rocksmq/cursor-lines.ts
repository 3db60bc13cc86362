/**
 * The cursor lines in use. One that nobody uses any more costs its reader's look-ahead, so they are swept out when they become many.
 */
import { CursorLine } from "./cursor-line.js";

/** Below this many lines nothing is swept. */
const fewLines = 1_024;

/** By group and channel. */
export class CursorLines {
  readonly #lines = new Map<string, CursorLine>();
  /** The next sweep comes when there are this many; twice what the last one left, so that sweeping stays cheap. */
  #sweepAt = fewLines;

  /** The line of a pair, made if need be. */
  of(group: string, channel: string): CursorLine {
    const key = pair(group, channel);
    const known = this.#lines.get(key);
    if (known !== undefined) return known;
    if (this.#lines.size >= this.#sweepAt) this.#sweep();
    const line = new CursorLine(group, channel);
    this.#lines.set(key, line);
    return line;
  }

  /** The line of a pair, if anybody has used it lately. */
  find(group: string, channel: string): CursorLine | undefined {
    return this.#lines.get(pair(group, channel));
  }

  onChannel(channel: string): CursorLine[] {
    return [...this.#lines.values()].filter((line) => line.channel === channel);
  }

  ofGroup(group: string): CursorLine[] {
    return [...this.#lines.values()].filter((line) => line.group === group);
  }

  #sweep(): void {
    for (const [key, line] of this.#lines) if (line.idle) this.#lines.delete(key);
    this.#sweepAt = Math.max(fewLines, 2 * this.#lines.size);
  }
}

/** When all consumes called so far on these lines are done or wait; undefined when they are. */
export function passageThrough(lines: readonly CursorLine[]): Promise<void> | undefined {
  const passages = lines.flatMap((line) => line.passage() ?? []);
  return passages.length === 0 ? undefined : Promise.all(passages).then(() => undefined);
}

/** Names hold no NUL. */
function pair(group: string, channel: string): string {
  return `${group}\0${channel}`;
}
