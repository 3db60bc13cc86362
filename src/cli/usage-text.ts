/** What `--help` prints: of the whole program, of a family of commands (`channel`), of one. No line is wider than the terminal, nor than 80 columns. */
import { widthOf } from "./cell.js";
import type { Command } from "./command.js";
import { everywhere, type Options } from "./option.js";
import type { Output } from "./output.js";

/** What every terminal has, and what is pleasant to read. */
const mostColumns = 80;
/** Narrower, every word would have a line of its own. */
const fewestColumns = 40;
/** The same of a column. */
const fewestRight = 25;

/** How wide a help may be: as the terminal it goes to, if it goes to one. */
export function helpColumns({ isTerminal, columns }: Pick<Output, "isTerminal" | "columns">): number {
  return isTerminal ? Math.max(fewestColumns, Math.min(columns, mostColumns)) : mostColumns;
}

/** The whole program. */
export function programHelp(commands: readonly Command[], columns: number): string[] {
  const text = [
    "tidemark <command> --help says more; tidemark --version says which.",
    "",
    "Data goes to stdout, everything else to stderr.",
    "Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.",
  ];
  return [
    ...wrapped("", "tidemark: a time-ordered, durable log in a directory", columns),
    "",
    ...synopses(commands, columns),
    "",
    ...text.flatMap((line) => wrapped("", line, columns)),
  ];
}

/** All commands that begin with one word. */
export function familyHelp(commands: readonly Command[], columns: number): string[] {
  return [...synopses(commands, columns), "", ...wrapped("", "Add --help to one of them for its options.", columns)];
}

/** One command. */
export function commandHelp(command: Command, columns: number): string[] {
  return [
    ...wrapped("", `tidemark ${synopsis(command)}${Object.keys(command.options).length > 0 ? " [options]" : ""}`, columns),
    "",
    ...wrapped("", command.about, columns),
    "",
    ...aligned(optionRows({ ...command.options, ...everywhere }), columns),
    ...(command.notes === undefined ? [] : ["", ...paragraphs(command.notes).flatMap((note) => wrappedNote(note, columns))]),
  ];
}

function synopses(commands: readonly Command[], columns: number): string[] {
  return aligned(
    commands.map((command) => [`tidemark ${synopsis(command)}`, command.about]),
    columns,
  );
}

function synopsis({ words, operands, options }: Command): string {
  const required = Object.entries(options).flatMap(([name, option]) => (option.required === true ? [`--${name} ${option.value}`] : []));
  return [words, ...operands, ...required].join(" ");
}

function optionRows(options: Options): [string, string][] {
  return Object.entries(options).map(([name, { value, help }]) => [`--${name}${value === undefined ? "" : ` ${value}`}`, help]);
}

/** In two columns; where too little is left for the right one, it stands below. */
function aligned(rows: readonly (readonly [string, string])[], columns: number): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  if (width + 4 + fewestRight <= columns) return rows.flatMap(([left, right]) => wrapped(`  ${left.padEnd(width)}  `, right, columns));
  return rows.flatMap(([left, right]) => [...wrapped("  ", left, columns), ...wrapped("      ", right, columns)]);
}

/** Lines of prose that follow each other are one text: where the source breaks it is no place for the reader's eye to stop. */
function paragraphs(notes: readonly string[]): string[] {
  const texts: string[] = [];
  for (const note of notes) {
    const last = texts.at(-1) ?? "";
    if (isProse(last) && isProse(note)) texts[texts.length - 1] = `${last} ${note}`;
    else texts.push(note);
  }
  return texts;
}

function isProse(note: string): boolean {
  return note !== "" && headOf(note) === "";
}

function headOf(note: string): string {
  return /^(?: +|\S+ {2,})/.exec(note)?.[0] ?? "";
}

/** A note that begins with a word and a gap goes on below what is behind the gap. */
function wrappedNote(note: string, columns: number): string[] {
  const head = headOf(note);
  return wrapped(head, note.slice(head.length), columns);
}

/** `text` behind `head`, and below itself where it is too long for a line. */
function wrapped(head: string, text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = head;
  for (const word of text.split(/(?<= )(?=[^ ])/)) {
    if (widthOf(line) > head.length && widthOf(line + word.trimEnd()) > columns) {
      lines.push(line.trimEnd());
      line = " ".repeat(head.length);
    }
    line += word;
  }
  return [...lines, line.trimEnd()];
}
