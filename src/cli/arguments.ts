/**
 * What stood behind a command's words, checked against its table: every operand there, no option unknown, given twice, or without its value.
 */
import { parseArgs } from "node:util";
import { UsageError } from "./failure.js";
import { everywhere, type Options } from "./option.js";

/** A flag, a value, or the values of an option that may be given again. */
type Given = true | string | readonly string[];

/** Operands and options of one call. A name that the command's table does not hold is a broken invariant, not a user's mistake. */
export class Arguments {
  /** All have one value but a last one that may have more. */
  readonly #operands: ReadonlyMap<string, readonly string[]>;
  readonly #options: ReadonlyMap<string, Given>;

  constructor(operands: ReadonlyMap<string, readonly string[]>, options: ReadonlyMap<string, Given>) {
    this.#operands = operands;
    this.#options = options;
  }

  /** @param name as in the command's table, without the brackets */
  operand(name: string): string {
    const [value] = this.operands(name);
    if (value === undefined) throw new Error(`operand <${name}> was taken without a value`);
    return value;
  }

  /** Of an operand that may stand there several times, `<name…>`: all of it, at least one. */
  operands(name: string): readonly string[] {
    const values = this.#operands.get(name);
    if (values === undefined) throw new Error(`no operand <${name}> in the command's table`);
    return values;
  }

  flag(name: string): boolean {
    return this.#options.get(name) === true;
  }

  text(name: string): string | undefined {
    const value = this.#options.get(name);
    return typeof value === "string" ? value : undefined;
  }

  /** All values of an option that may be given again, in their order. */
  texts(name: string): readonly string[] {
    const value = this.#options.get(name);
    return typeof value === "object" ? value : [];
  }

  /** One of `choices`, the first when not given. */
  choice<T extends string>(name: string, choices: readonly [T, ...T[]]): T {
    const value = this.text(name);
    if (value === undefined) return choices[0];
    const choice = choices.find((one) => one === value);
    if (choice === undefined) throw new UsageError(`--${name} is ${oneOf(choices)}, not "${value}"`);
    return choice;
  }

  /** A whole number from 1 to `limit`; undefined when not given. */
  count(name: string, limit: number): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const count = /^\d{1,15}$/.test(value) ? Number(value) : 0;
    if (count < 1 || count > limit) throw new UsageError(`--${name} is a whole number from 1 to ${limit}, not "${value}"`);
    return count;
  }
}

/** "a, b or c". */
export function oneOf(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`;
}

/** @throws `UsageError` that names what is wrong */
export function parseArguments(
  command: { readonly operands: readonly string[]; readonly options: Options },
  argv: readonly string[],
): Arguments {
  const table: Options = { ...command.options, ...everywhere };
  const { tokens } = parseArgs({ args: [...argv], strict: false, allowPositionals: true, tokens: true, options: parserOptions(table) });
  const operands: string[] = [];
  const options = new Map<string, Given>();
  for (const token of tokens) {
    if (token.kind === "positional") operands.push(token.value);
    if (token.kind === "option") {
      const value = checkedValue(table, token);
      const before = options.get(token.name);
      if (before === undefined) options.set(token.name, table[token.name]?.many === true ? [String(value)] : value);
      else if (typeof before === "object") options.set(token.name, [...before, String(value)]);
      else throw new UsageError(`${token.rawName} is given twice`);
    }
  }
  return new Arguments(named(command.operands, operands), options);
}

function parserOptions(table: Options): Record<string, { type: "string" | "boolean"; short?: string }> {
  const types = Object.entries(table).map(([name, { value }]) => [name, { type: value === undefined ? "boolean" : "string" }] as const);
  return { ...Object.fromEntries(types), help: { type: "boolean", short: "h" } };
}

function checkedValue(
  table: Options,
  token: {
    readonly name: string;
    readonly rawName: string;
    readonly value?: string | undefined;
    readonly inlineValue?: boolean | undefined;
  },
): string | true {
  const option = Object.hasOwn(table, token.name) ? table[token.name] : undefined;
  if (option === undefined) throw new UsageError(`there is no option ${token.rawName}`);
  if (option.value === undefined && token.value !== undefined) throw new UsageError(`${token.rawName} takes no value`);
  if (option.value === undefined) return true;
  // "--batch --dir D": who means a value that begins so writes it with "=".
  const isOption = token.inlineValue === false && token.value?.startsWith("--") === true;
  if (token.value === undefined || token.value === "" || isOption)
    throw new UsageError(`${token.rawName} needs a value: ${token.rawName} ${option.value}`);
  return token.value;
}

function named(operands: readonly string[], values: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const missing = operands[values.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  const takesAll = operands.at(-1)?.endsWith("…>") === true;
  const extra = takesAll ? undefined : values[operands.length];
  if (extra !== undefined) throw new UsageError(`"${extra}" is one word too many`);
  const isLast = (at: number): boolean => at === operands.length - 1;
  return new Map(
    operands.map((operand, at) => [operand.replaceAll(/[<>…]/g, ""), values.slice(at, takesAll && isLast(at) ? undefined : at + 1)]),
  );
}
