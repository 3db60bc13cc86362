/**
 * What a command of the command line is: a few words, what stands behind them, and what runs.
 *
 *     tidemark group seek <group> <channel> <place> --dir D
 *              └─words──┘ └──────operands────────┘  └options┘
 *
 * The same table drives the parser and the help text, so that neither can promise what the other does not know.
 */
import type { Readable } from "node:stream";
import type { Clock } from "../base/clock.js";
import type { Arguments } from "./arguments.js";
import type { Options } from "./option.js";
import type { Output } from "./output.js";

/** A command, by its words behind `tidemark`. */
export interface Command {
  readonly words: string;
  /** As the help shows them: `<name>`; all are required. The last may be `<name…>`: one or more. */
  readonly operands: readonly string[];
  readonly options: Options;
  /** One line. */
  readonly about: string;
  /** What the help says below the options, line by line. */
  readonly notes?: readonly string[] | undefined;
  /** Resolves when done; a rejection is a failure, told on stderr. Everything it opened is closed either way. */
  run(args: Arguments, context: Context): Promise<void>;
}

/** The world as a command sees it. */
export interface Context {
  /** Opened by whoever reads it, so that nobody else holds it. */
  stdin(): Readable;
  /** Data, and nothing else. */
  readonly stdout: Output;
  /** Everything that is not data. */
  readonly stderr: Output;
  /** Aborted with an `Interrupted` by SIGINT, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}
