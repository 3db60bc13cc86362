/**
 * What a meta store refuses before it asks anybody: the same for every store.
 */
import { checkOptions, checkSignal, checkWord, type KnownOptions, shown } from "../base/arguments.js";
import type { Abortable } from "../base/closable.js";
import { TidemarkError } from "../base/errors.js";
import { isWellFormed } from "../base/well-formed.js";
import type { MetaCompare, MetaOp, MetaRangeOptions, MetaTxn } from "./meta-store.js";

const callOptions: KnownOptions<keyof Abortable> = { signal: true };
const rangeOptions: KnownOptions<keyof MetaRangeOptions> = { signal: true, after: true, limit: true };
const txnParts: KnownOptions<keyof MetaTxn> = { if: true, then: true, else: true };

/** @throws `invalid-argument` for options that nobody knows, or a signal that is none */
export function checkCall(options: Abortable): void {
  checkOptions(options, callOptions);
  checkSignal(options.signal);
}

/** @throws `invalid-argument` unless `key` is a non-empty, well-formed text */
export function checkKey(key: string, argument = "key"): void {
  checkText(key, argument);
  if (key === "") throw invalid(argument, "must not be empty");
}

/** @throws `invalid-argument` unless `value` is bytes */
export function checkValue(value: Uint8Array, argument = "value"): void {
  if (!(value instanceof Uint8Array)) throw invalid(argument, `must be a Uint8Array, got ${shown(value)}`);
}

/** @throws `invalid-argument` */
export function checkRange(prefix: string, options: MetaRangeOptions): void {
  checkOptions(options, rangeOptions);
  checkSignal(options.signal);
  checkText(prefix, "prefix");
  if (options.after !== undefined) checkText(options.after, "after");
  const { limit } = options;
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1))
    throw invalid("limit", `must be a positive integer, got ${shown(limit)}`);
}

/** @throws `invalid-argument` */
export function checkTxn(txn: MetaTxn): void {
  checkOptions(txn, txnParts, "txn");
  checkList(txn.if, "if");
  for (const [at, compare] of txn.if.entries()) checkCompare(compare, `if[${at}]`);
  checkBranch(txn.then, "then");
  checkBranch(txn.else ?? [], "else");
}

function checkCompare(compare: MetaCompare, argument: string): void {
  checkObject(compare, argument);
  checkKey(compare.key, `${argument}.key`);
  if ("value" in compare) checkValue(compare.value, `${argument}.value`);
  else if (typeof compare.modRevision !== "bigint" || compare.modRevision < 0n) {
    throw invalid(`${argument}.modRevision`, `must be a bigint of at least 0, got ${shown(compare.modRevision)}`);
  }
}

/** A key named twice would mean something else in every store. */
function checkBranch(ops: readonly MetaOp[], argument: string): void {
  checkList(ops, argument);
  const keys = new Set<string>();
  for (const [at, op] of ops.entries()) {
    checkObject(op, `${argument}[${at}]`);
    checkWord(`${argument}[${at}].op`, op.op, ["put", "delete"]);
    checkKey(op.key, `${argument}[${at}].key`);
    if (op.op === "put") checkValue(op.value, `${argument}[${at}].value`);
    if (keys.has(op.key)) throw invalid(`${argument}[${at}].key`, `names ${JSON.stringify(op.key)} for the second time in one branch`);
    keys.add(op.key);
  }
}

function checkList(value: unknown, argument: string): void {
  if (!Array.isArray(value)) throw invalid(argument, `must be an array, got ${shown(value)}`);
}

function checkObject(value: unknown, argument: string): void {
  if (typeof value !== "object" || value === null) throw invalid(argument, `must be an object, got ${shown(value)}`);
}

function checkText(text: string, argument: string): void {
  if (typeof text !== "string") throw invalid(argument, `must be a string, got ${shown(text)}`);
  // Half of a pair has no UTF-8, so it could not be given back.
  if (!isWellFormed(text)) throw invalid(argument, `must be well-formed Unicode, got ${JSON.stringify(text)}`);
}

function invalid(argument: string, what: string): TidemarkError {
  return new TidemarkError("invalid-argument", `${argument} ${what}`, { argument });
}
