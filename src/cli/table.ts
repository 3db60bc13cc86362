/**
 * A table for people: columns as wide as their widest cell, figures to the right, a head line.
 *
 *     CHANNEL  MESSAGES         on a terminal that is too narrow:     CHANNEL
 *     ATL        96,204                                                 MESSAGES
 *     ORD        95,877                                               ATL
 *                                                                         96,204
 */
import { fit, padded, printable, widthOf } from "./cell.js";

/** One column of a table. */
export interface Column {
  readonly title: string;
  /** To the right, and never cut. */
  readonly figures?: boolean | undefined;
  /** A text that says nothing when it is cut. */
  readonly whole?: boolean | undefined;
}

/** Columns that stand beside each other, and how wide each is. */
interface Stretch {
  readonly from: number;
  readonly widths: readonly number[];
}

const gap = "  ";
/** What a row that is folded has before its further lines. */
const indent = "  ";

/**
 * Lines, the head first. A line beyond `columns` loses from its widest cells, but never of a figure or of what must be whole: half an id is none. What does not fit all
 * the same is folded, the head and each row alike. Without a limit nothing is cut.
 */
export function tableLines(head: readonly Column[], rows: readonly (readonly string[])[], columns = Infinity): string[] {
  const cells = rows.map((row) => row.map(printable));
  const room = columns - indent.length;
  const natural = head.map(({ title }, at) => Math.max(Math.min(widthOf(title), room), ...cells.map((row) => widthOf(row[at] ?? ""))));
  const stretches = stretchesOf(natural, head, columns);
  const linesOf = (row: readonly string[]): string[] =>
    stretches
      .map((stretch, at) => `${at === 0 ? "" : indent}${lineOf(row, head, stretch)}`.trimEnd())
      .filter((line, at) => at === 0 || line !== "");
  return [head.map(({ title }) => title), ...cells].flatMap(linesOf);
}

function lineOf(row: readonly string[], head: readonly Column[], { from, widths }: Stretch): string {
  const cells = widths.map((width, at) => {
    const side = head[from + at]?.figures === true ? "left" : "right";
    return padded(fit(row[from + at] ?? "", width), width, side);
  });
  return cells.join(gap);
}

/** One if all fit beside each other, else as few as it takes. */
function stretchesOf(natural: readonly number[], head: readonly Column[], columns: number): Stretch[] {
  const whole = { from: 0, widths: squeezed(natural, head, columns) };
  if (lineWidth(whole.widths) <= columns) return [whole];
  const stretches: { from: number; widths: number[] }[] = [];
  for (const [at, width] of natural.entries()) {
    const last = stretches.at(-1);
    const room = columns - (stretches.length > 1 ? indent.length : 0);
    if (last !== undefined && lineWidth([...last.widths, width]) <= room) last.widths.push(width);
    else stretches.push({ from: at, widths: [width] });
  }
  return stretches.map(({ from, widths }, at) => ({
    from,
    widths: squeezed(widths, head.slice(from), columns - (at === 0 ? 0 : indent.length)),
  }));
}

/** Takes from the widest text until all fit, but leaves each at least 8 columns: below that a cell says nothing. */
function squeezed(natural: readonly number[], head: readonly Column[], columns: number): number[] {
  const widths = [...natural];
  let excess = lineWidth(widths) - columns;
  while (excess > 0) {
    const texts = widths.map((width, at) => (head[at]?.figures === true || head[at]?.whole === true ? 0 : width));
    const width = Math.max(...texts);
    if (width <= 8) break;
    const widest = texts.indexOf(width);
    widths[widest] = width - 1;
    excess -= 1;
  }
  return widths;
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + gap.length * (widths.length - 1);
}
