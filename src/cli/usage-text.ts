/** What `--help` prints: of the whole program, of a family of commands (`channel`), of one. No line is wider than 80 columns. */
import { widthOf } from "./cell.js";
import type { Command } from "./command.js";
import { everywhere, type Options } from "./option.js";

/** What every terminal has. */
const mostColumns = 80;

/** The whole program. */
export function programHelp(commands: readonly Command[]): string[] {
  return [
    "tidemark: a time-ordered, durable log in a directory",
    "",
    ...aligned(commands.map((command) => [`tidemark ${synopsis(command)}`, command.about])),
    "",
    "tidemark <command> --help says more; tidemark --version says which.",
    "",
    "Data goes to stdout, everything else to stderr.",
    "Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.",
  ];
}

/** All commands that begin with one word. */
export function familyHelp(commands: readonly Command[]): string[] {
  return [
    ...aligned(commands.map((command) => [`tidemark ${synopsis(command)}`, command.about])),
    "",
    "Add --help to one of them for its options.",
  ];
}

/** One command. */
export function commandHelp(command: Command): string[] {
  return [
    `tidemark ${synopsis(command)}${Object.keys(command.options).length > 0 ? " [options]" : ""}`,
    "",
    command.about,
    "",
    ...aligned(optionRows({ ...command.options, ...everywhere })),
    ...(command.notes === undefined ? [] : ["", ...paragraphs(command.notes).flatMap(wrappedNote)]),
  ];
}

function synopsis({ words, operands, options }: Command): string {
  const required = Object.entries(options).flatMap(([name, option]) => (option.required === true ? [`--${name} ${option.value}`] : []));
  return [words, ...operands, ...required].join(" ");
}

function optionRows(options: Options): [string, string][] {
  return Object.entries(options).map(([name, { value, help }]) => [`--${name}${value === undefined ? "" : ` ${value}`}`, help]);
}

function aligned(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.flatMap(([left, right]) => wrapped(`  ${left.padEnd(width)}  `, right));
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
function wrappedNote(note: string): string[] {
  const head = headOf(note);
  return wrapped(head, note.slice(head.length));
}

/** `text` behind `head`, and below itself where it is too long for a line. */
function wrapped(head: string, text: string): string[] {
  const lines: string[] = [];
  let line = head;
  for (const word of text.split(/(?<= )(?=[^ ])/)) {
    if (widthOf(line) > head.length && widthOf(line + word.trimEnd()) > mostColumns) {
      lines.push(line.trimEnd());
      line = " ".repeat(head.length);
    }
    line += word;
  }
  return [...lines, line.trimEnd()];
}
