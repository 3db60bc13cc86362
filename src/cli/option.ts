/** Options of a command, as the parser and the help text both read them. */

/** One option. */
export interface Option {
  /** What stands for its value in the help; absent for a flag. */
  readonly value?: string | undefined;
  readonly help: string;
  /** The command can't do without it, so the line that shows its use has it. */
  readonly required?: boolean | undefined;
  /** It may be given again. */
  readonly many?: boolean | undefined;
}

/** Options by name, without the dashes. */
export type Options = Readonly<Record<string, Option>>;

/** What every command takes. */
export const everywhere: Options = {
  verbose: { help: "show errors with their stack" },
  help: { help: "show this text" },
};

/** Of every command that works on a queue. */
export const dirOption: Options = {
  dir: { value: "D", help: "where the queue is: D itself, or D/queue; default ./tidemark-data" },
};

/** Of every command that prints what programs may want to read. */
export const jsonOption: Options = {
  json: { help: "print JSON; ids and other 64-bit numbers are strings in it" },
};

/** Of every command that makes something with a name. */
export const ifNotExistsOption: Options = {
  "if-not-exists": { help: "leave one that is there as it is, which is no error" },
};
