/**
 * The benchmarks as people read them.
 *
 *     durable produce: 64 producers, one message of 1 KiB in flight each                (64-producers)
 *                                                   MUST   STRETCH          THREAD          INLINE
 *       share of bare write + fdatasync, prefilled  >= 0.85  >= 0.95   0.88            0.61 MISSED
 */
import { type BenchReport, type ClaimReport, type Figure, type Goal, type Got, type Unit, verdictOf } from "../bench/index.js";
import { bytes, count, duration, rate } from "./figures.js";

/** How parts of it stand out. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  bad(text: string): string;
}

const whatColumns = 44;
const goalColumns = 9;
const valueColumns = 9;
const markColumns = 7;
/** What a line has of a figure: what it is, two goals, two hosts. */
const lineColumns = whatColumns + 2 * (1 + goalColumns) + 2 * (1 + valueColumns + markColumns);

/** At most 100 columns wide. Where that is too much, what is measured, its goals and what was got stand below each other. */
export function benchLines(report: BenchReport, paint: Paint, columns = Infinity): string[] {
  const isNarrow = columns < lineColumns;
  return [
    ...machineLines(report, paint),
    "",
    ...headLines(isNarrow).map((line) => paint.dim(line)),
    ...report.claims.flatMap((claim) => ["", ...claimLines(claim, paint, isNarrow)]),
    "",
    ...endLines(report, paint),
  ];
}

function machineLines({ machine, size }: BenchReport, paint: Paint): string[] {
  const { node, platform, cores, cpu, folder, inMemory, loadBefore, loadAfter } = machine;
  const isBusy = loadBefore > cores / 4;
  return [
    paint.bold("tidemark bench"),
    `Node ${node.slice(1)}, ${platform}, ${count(cores)} cores${cpu === "" ? "" : ` (${cpu})`}; in ${folder}`,
    `load average ${loadBefore.toFixed(1)} before, ${loadAfter.toFixed(1)} after${size === "quick" ? "; a quick run: its figures are rough" : ""}`,
    ...(isBusy ? [paint.bad("The machine was busy with other things: don't trust these figures, nor quite the ratios.")] : []),
    ...(inMemory ? [paint.bad("The folder is in memory: figures about syncs mean nothing. Name one on a disk with --dir.")] : []),
    "THREAD: the log is written by a thread of its own, as by default. INLINE: by the main thread.",
  ];
}

function headLines(isNarrow: boolean): string[] {
  const titles = ["MUST", "STRETCH"].map((title) => title.padStart(goalColumns));
  const hosts = ["THREAD", "INLINE"].map((title) => title.padStart(valueColumns).padEnd(valueColumns + markColumns));
  return rowLines("", titles, hosts, isNarrow);
}

function rowLines(what: string, goals: readonly string[], got: readonly string[], isNarrow: boolean): string[] {
  const rows = isNarrow ? [[what], ["   ", ...goals], ["   ", ...got]] : [[what.padEnd(whatColumns), ...goals, ...got]];
  return rows.map((cells) => cells.join(" ").trimEnd()).filter((line) => line !== "");
}

function claimLines({ name, about, figures, skipped }: ClaimReport, paint: Paint, isNarrow: boolean): string[] {
  const head = `${paint.bold(about)}  ${paint.dim(`(${name})`)}`;
  if (skipped !== undefined) return [head, `  not measured: ${skipped}`];
  return [head, ...figures.flatMap((figure) => figureLines(figure, paint, isNarrow))];
}

function figureLines({ what, unit, goal, thread, inline }: Figure, paint: Paint, isNarrow: boolean): string[] {
  const goals = goal === undefined ? ["", ""] : [goal.must, goal.stretch].map((bound) => boundText(bound, goal, unit));
  const got = [thread, inline].map((host) => gotText({ got: host, unit, goal }, paint));
  const bounds = goals.map((text) => text.padStart(goalColumns));
  return rowLines(`  ${what}`, bounds, got, isNarrow);
}

/** Bounds are round numbers: "<= 150 MB". */
function boundText(bound: number, { better }: Goal, unit: Unit): string {
  const text = unit === "ratio" ? String(bound) : valueText(bound, unit).replace(/\.0+(?= )/, "");
  return `${better === "more" ? ">=" : "<="} ${text}`;
}

function gotText(
  { got, unit, goal }: { readonly got: Got | undefined; readonly unit: Unit; readonly goal: Goal | undefined },
  paint: Paint,
): string {
  if (got === undefined) return "".padEnd(valueColumns + markColumns);
  const verdict = verdictOf(got.median, goal);
  const value = valueText(got.median, unit).padStart(valueColumns);
  if (verdict === "missed") return `${value} ${paint.bad("MISSED".padEnd(markColumns - 1))}`;
  return `${value} ${verdict === "stretch" ? paint.good("*".padEnd(markColumns - 1)) : "".padEnd(markColumns - 1)}`;
}

/** A number with its unit, as short as it is honest. */
export function valueText(value: number, unit: Unit): string {
  if (Number.isNaN(value)) return "-";
  switch (unit) {
    case "ratio":
      return value.toFixed(2);
    case "per second":
      return value >= 1e6 ? `${(value / 1e6).toFixed(1)} M` : rate(value);
    case "ms":
      return value < 1 ? `${value.toFixed(2)} ms` : duration(value);
    case "bytes":
      return bytes(value);
    case "percent":
      return `${value.toFixed(value < 10 ? 2 : 0)} %`;
    case "count":
      return count(value);
    default:
      return unit satisfies never;
  }
}

function endLines({ claims, ms }: BenchReport, paint: Paint): string[] {
  const judged = claims.flatMap(({ name, figures }) =>
    figures.flatMap(({ goal, thread }) =>
      goal === undefined || thread === undefined ? [] : [{ name, verdict: verdictOf(thread.median, goal) }],
    ),
  );
  const missed = judged.filter(({ verdict }) => verdict === "missed");
  const stretched = judged.filter(({ verdict }) => verdict === "stretch");
  const verdict = `${judged.length} goals: ${judged.length - missed.length} reached (${stretched.length} stretched, marked *), ${missed.length} missed`;
  const names = [...new Set(missed.map(({ name }) => name))];
  return [
    ...(names.length === 0 ? [paint.good(verdict)] : wrapped([`${verdict}:`, ...names]).map((line) => paint.bad(line))),
    `By the thread host. Medians of rounds; ${duration(ms)} in all.`,
  ];
}

/** Parts with spaces between them, in lines of at most 100 columns. */
function wrapped(parts: readonly string[]): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + part.length <= 100) lines[lines.length - 1] = `${last} ${part}`;
    else lines.push(part);
  }
  return lines;
}
