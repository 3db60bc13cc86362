/** An inspection as people read it. */
import type { InspectedBatch, StoreReport } from "../storage/index.js";
import { bytes, count, counted, time } from "./figures.js";
import { tableLines } from "./table.js";

/** The store, its channels, its segments, and what is bad. @param columns how wide its tables may be */
export function reportLines(report: StoreReport, verified: boolean, columns: number | undefined): string[] {
  return [
    ...factLines(report),
    "",
    ...channelLines(report, columns),
    "",
    ...segmentLines(report, columns),
    "",
    ...report.problems.map(({ file, offset, what }) => `bad: ${file} at offset ${offset}: ${what}`),
    ...(report.problems.length === 0 ? [soundLine(report, verified)] : []),
  ];
}

/** Every batch that a segment still holds, trimmed or not. */
export function batchLines(batches: readonly InspectedBatch[], columns: number | undefined): string[] {
  const head = ["SEGMENT", "OFFSET", "BYTES", "MESSAGES", "FIRST ID", "LAST ID"].map((title) => ({ title, figures: true }));
  const rows = batches.map(({ segment, offset, bytes: size, firstId, lastId, timeMs }) => [
    String(segment),
    String(offset),
    String(size),
    count(lastId - firstId + 1n),
    String(firstId),
    String(lastId),
    time(timeMs),
  ]);
  return tableLines([...head, { title: "TIME", whole: true }], rows, columns);
}

function factLines(report: StoreReport): string[] {
  const { dir, term } = report;
  return [`store     ${dir}`, `term      ${term === undefined ? "unknown: the log can't be followed" : term}`, stateLine(report)];
}

/** What the last user of the directory did, or does. */
function stateLine({ openIn, term, closedCleanly, unfinishedBytes }: StoreReport): string {
  if (openIn !== undefined) return `open      in process ${openIn}; this is how it was a moment ago`;
  const unfinished = unfinishedBytes === 0 ? "" : `; the next open drops ${count(unfinishedBytes)} bytes of a write that was never acked`;
  return `closed    ${term === undefined ? "unknown" : closedCleanly ? "cleanly" : `not cleanly${unfinished}`}`;
}

function channelLines({ channels }: StoreReport, columns: number | undefined): string[] {
  const head = [
    { title: "CHANNEL" },
    { title: "MESSAGES", figures: true },
    { title: "SIZE", figures: true },
    { title: "BEGINS AT ID", figures: true },
    { title: "NEXT ID", figures: true },
  ];
  const rows = channels.map(({ name, messages, bytes: size, beginId, endId }) => [
    name,
    count(messages),
    bytes(size),
    String(beginId),
    String(endId),
  ]);
  return tableLines(head, rows, columns);
}

function segmentLines({ segments }: StoreReport, columns: number | undefined): string[] {
  const isRead = segments.some(({ batches }) => batches !== undefined);
  const head = [
    { title: "SEGMENT" },
    { title: "ROLE" },
    { title: "BYTES", figures: true },
    { title: "ENDS AT", figures: true },
    ...(isRead ? ["BATCHES", "MESSAGES"].map((title) => ({ title, figures: true })) : []),
  ];
  const rows = segments.map(({ file, role, bytes: size, end, batches, messages }) => [
    file.slice(file.lastIndexOf("/") + 1),
    role,
    count(size),
    end === undefined ? "" : count(end),
    ...(isRead ? [batches, messages].map((n) => (n === undefined ? "" : count(n))) : []),
  ]);
  return tableLines(head, rows, columns);
}

function soundLine({ segments }: StoreReport, verified: boolean): string {
  // Dead and void files are not read: nothing of the log is in them.
  const read = segments.filter(({ batches }) => batches !== undefined);
  const size = read.reduce((sum, segment) => sum + (segment.end ?? 0), 0);
  return verified
    ? `sound: every byte of ${counted(read.length, "segment")}, ${bytes(size)}, was read and checked`
    : "nothing bad where an open would look; --verify reads every byte";
}
