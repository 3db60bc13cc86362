/**
 * Calls a function as JavaScript may: with anything in any place. What comes of it is an answer, or an error of ours that names the argument.
 */
import { isTidemarkError } from "../../src/index.js";

/** What somebody may hand in by mistake. */
export const nonsense: readonly unknown[] = [undefined, null, "text", 5, {}, []];

/** One function of a door. */
export interface Row {
  /** Arguments that it answers. */
  readonly good: readonly unknown[];
  /** For each argument, which kinds of nonsense are none here, such as "undefined" where it may be left out. Whatever else is not of its kind is refused. */
  readonly takes?: readonly (readonly Kind[])[];
}

/** `typeof`, with null, arrays and bytes apart from objects. */
export type Kind = "null" | "array" | "bytes" | "undefined" | "object" | "boolean" | "number" | "string" | "function" | "symbol" | "bigint";

/** What became of a call: undefined when it was answered or refused as it should be, else what was wrong. */
export async function wrongIn(name: string, call: (...args: unknown[]) => unknown, row: Row): Promise<string[]> {
  const found = [await wrongAnswer(`${name} as it is meant`, () => call(...row.good), "answer")];
  for (const [at, good] of row.good.entries()) {
    for (const value of nonsense) {
      const args = row.good.with(at, value);
      found.push(await wrongAnswer(`${name}, argument ${at + 1} ${told(value)}`, () => call(...args), expected(row, at, good, value)));
    }
    for (const [field, inside] of fieldsOf(good))
      for (const value of nonsense) {
        if (kindOf(value) === kindOf(inside)) continue;
        const args = row.good.with(at, withField(good, field, value));
        found.push(await wrongAnswer(`${name}, argument ${at + 1}.${field} ${told(value)}`, () => call(...args), "either"));
      }
  }
  return found.filter((wrong) => wrong !== undefined);
}

type Wish = "answer" | "refusal" | "either";

/** A good argument of the same kind says nothing of this one: a text may be no name, an empty object no message. */
function expected({ takes = [] }: Row, at: number, good: unknown, value: unknown): Wish {
  if (takes[at]?.includes(kindOf(value)) === true) return "answer";
  return kindOf(good) === kindOf(value) && !isEmptyObject(value) ? "either" : "refusal";
}

async function wrongAnswer(what: string, call: () => unknown, wish: Wish): Promise<string | undefined> {
  try {
    await close(await call());
    return wish === "refusal" ? `${what}: taken` : undefined;
  } catch (error) {
    if (!isTidemarkError(error)) return `${what}: ${String(error)}`;
    if (wish === "answer") return `${what}: refused, ${error.message}`;
    if (!isTidemarkError(error, "invalid-argument")) return wish === "refusal" ? `${what}: ${error.code}` : undefined;
    return error.details.argument === "" ? `${what}: no argument is named` : undefined;
  }
}

/** What was opened is of no more use. */
async function close(answer: unknown): Promise<void> {
  if (typeof answer === "object" && answer !== null && Symbol.asyncDispose in answer)
    await (answer as AsyncDisposable)[Symbol.asyncDispose]();
}

function kindOf(value: unknown): Kind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return value instanceof Uint8Array ? "bytes" : typeof value;
}

function isEmptyObject(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

/** Fields of an object that somebody wrote down; not those of our own classes, which nobody can change. */
function fieldsOf(value: unknown): [string, unknown][] {
  return isObject(value) && Object.getPrototypeOf(value) === Object.prototype ? Object.entries(value) : [];
}

function withField(value: unknown, field: string, inside: unknown): object {
  return { ...(isObject(value) ? value : {}), [field]: inside };
}

function isObject(value: unknown): value is object {
  return kindOf(value) === "object";
}

function told(value: unknown): string {
  return JSON.stringify(value) ?? "undefined";
}
