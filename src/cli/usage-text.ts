/** What `--help` prints: of the whole program, of a family of commands (`channel`), of one. */
import type { Command } from "./command.js";
import { everywhere, type Options } from "./option.js";

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
    ...(command.notes === undefined ? [] : ["", ...command.notes]),
  ];
}

function synopsis({ words, operands }: Command): string {
  return [words, ...operands].join(" ");
}

function optionRows(options: Options): [string, string][] {
  return Object.entries(options).map(([name, { value, help, later }]) => [
    `--${name}${value === undefined ? "" : ` ${value}`}`,
    later === true ? `${help} (comes later)` : help,
  ]);
}

function aligned(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
