/**
 * A table for people: columns as wide as their widest cell, figures to the right, a head line.
 *
 *     CHANNEL  MESSAGES
 *     ATL        96,204
 *     ORD        95,877
 */
import { fit, padded, printable, widthOf } from "./cell.js";

/** One column of a table. */
export interface Column {
  readonly title: string;
  readonly figures?: boolean | undefined;
}

/**
 * Lines, the head first. A line beyond `columns` loses from its widest cells, but never of a figure: half an id is none. What does not fit all
 * the same wraps. Without a limit nothing is cut.
 */
export function tableLines(head: readonly Column[], rows: readonly (readonly string[])[], columns = Infinity): string[] {
  const cells = rows.map((row) => row.map(printable));
  const natural = head.map(({ title }, at) => Math.max(widthOf(title), ...cells.map((row) => widthOf(row[at] ?? ""))));
  const widths = squeezed(natural, head, columns - 2 * (head.length - 1));
  const line = (row: readonly string[]): string =>
    head
      .map(({ figures }, at) => padded(fit(row[at] ?? "", widths[at] ?? 0), widths[at] ?? 0, figures === true ? "left" : "right"))
      .join("  ")
      .trimEnd();
  return [line(head.map(({ title }) => title)), ...cells.map(line)];
}

/** Takes from the widest text until all fit, but leaves each at least 8 columns: below that a cell says nothing. */
function squeezed(natural: readonly number[], head: readonly Column[], room: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, 0) - room;
  while (excess > 0) {
    const texts = widths.map((width, at) => (head[at]?.figures === true ? 0 : width));
    const width = Math.max(...texts);
    if (width <= 8) break;
    const widest = texts.indexOf(width);
    widths[widest] = width - 1;
    excess -= 1;
  }
  return widths;
}
