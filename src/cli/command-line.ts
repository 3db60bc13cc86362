/**
 * The command line as a whole: finds the command, parses what follows, runs it, and turns its end into an exit code.
 *
 *     argv ─▶ words ─▶ command ─▶ operands and options ─▶ run ─▶ 0 | one line on stderr and 1, 2 or 130
 */
import { readFileSync } from "node:fs";
import { oneOf, parseArguments } from "./arguments.js";
import { benchCommand } from "./bench.js";
import { channelCommands } from "./channel.js";
import type { Command, Context } from "./command.js";
import { consumeCommand } from "./consume.js";
import { exitCodeOf, ReaderGone, sentenceOf, stackOf, UsageError } from "./failure.js";
import { groupCommands } from "./group.js";
import { importCommand } from "./import.js";
import { inspectCommand } from "./inspect.js";
import { produceCommand } from "./produce.js";
import { salvageCommand } from "./salvage.js";
import { streamCommands } from "./stream/index.js";
import { tortureCommand } from "./torture.js";
import { tourCommand } from "./tour.js";
import { trimCommand } from "./trim.js";
import { commandHelp, familyHelp, helpColumns, programHelp } from "./usage-text.js";

/** In the order in which a newcomer needs them. */
export const commands: readonly Command[] = [
  tourCommand,
  ...channelCommands,
  ...groupCommands,
  produceCommand,
  consumeCommand,
  trimCommand,
  ...streamCommands,
  inspectCommand,
  salvageCommand,
  importCommand,
  tortureCommand,
  benchCommand,
];

/** Planned, so that who tries one learns that it is not a typing error. */
const later = new Set(["append", "read", "serve", "node", "coordinator"]);

/** Resolves with the exit code; never rejects. Every error has been told on stderr by then. */
export async function runCommandLine(argv: readonly string[], context: Context): Promise<number> {
  try {
    await dispatch(argv, context);
    return 0;
  } catch (error) {
    await tell(error, argv, context);
    return exitCodeOf(error);
  }
}

async function dispatch(argv: readonly string[], context: Context): Promise<void> {
  const first = argv[0];
  if (first === undefined) throw new UsageError("which command?");
  const columns = helpColumns(context.stdout);
  if (first === "help" && argv.length > 1) return dispatch([...argv.slice(1), "--help"], context);
  if (first === "--help" || first === "-h" || first === "help") return context.stdout.lines(programHelp(commands, columns));
  if (first === "--version" || first === "-V") return context.stdout.lines([version()]);
  if (first.startsWith("-")) throw new UsageError(`options come after the command: tidemark <command> … ${first}`);
  const command = commandOf(argv);
  const rest = argv.slice(command?.words.split(" ").length ?? 1);
  if (command === undefined) return context.stdout.lines(familyHelp(family(first), columns));
  // Before all checks: whoever asks for help has not got the rest right yet.
  if (wantsHelp(rest)) return context.stdout.lines(commandHelp(command, columns));
  await command.run(parseArguments(command, rest), context);
}

/** Undefined when a family's help is asked for. */
function commandOf(argv: readonly string[]): Command | undefined {
  const [first = "", second = ""] = argv;
  const command = commands.find(({ words }) => words === first || words === `${first} ${second}`);
  if (command !== undefined) return command;
  if (later.has(first)) throw new UsageError(`"${first}" comes later`);
  const members = family(first).map(({ words }) => words.slice(first.length + 1));
  if (members.length === 0) throw new UsageError(`there is no command "${first}"`);
  if (second === "--help" || second === "-h") return undefined;
  throw new UsageError(second === "" ? `which one: ${oneOf(members)}?` : `"${second}" is not ${oneOf(members)}`);
}

function family(word: string): Command[] {
  return commands.filter(({ words }) => words.startsWith(`${word} `));
}

function wantsHelp(rest: readonly string[]): boolean {
  const end = rest.indexOf("--");
  return rest.slice(0, end < 0 ? undefined : end).some((word) => word === "--help" || word === "-h");
}

async function tell(error: unknown, argv: readonly string[], { stderr, signal }: Context): Promise<void> {
  if (error instanceof ReaderGone || (signal.aborted && error === signal.reason)) return;
  const text = argv.includes("--verbose") ? stackOf(error) : sentenceOf(error);
  const words = wordsOf(argv);
  const hint = error instanceof UsageError ? ` (see ${[...words, "--help"].join(" ")})` : "";
  // A stderr that nobody reads is no reason to fail differently.
  await stderr.lines([`${words.join(" ")}: ${text}${hint}`]).catch(() => undefined);
}

/** The longest known beginning of what was typed. */
function wordsOf([first = "", second = ""]: readonly string[]): string[] {
  if (commands.some(({ words }) => words === `${first} ${second}`)) return ["tidemark", first, second];
  return commands.some(({ words }) => words === first || words.startsWith(`${first} `)) ? ["tidemark", first] : ["tidemark"];
}

/** Read only when asked for; the manifest lies two folders up, from src/ and from dist/. */
function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return String((manifest as { version?: unknown }).version);
}
