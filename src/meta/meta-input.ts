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

/**
 * Keys and values of one call together: what an etcd takes in one request by default.
 *
 * Whatever is put can be compared, moved and put again within it.
 */
export const mostRequestBytes = 1.5 * 1024 * 1024;

/** Compares of a transaction, and operations of each of its branches. An etcd takes 128 unless it is told otherwise. */
export const mostTxnOps = 1024;

/** @throws `invalid-argument` for options that nobody knows, or a signal that is none */
export function checkCall(options: Abortable): void {
  checkOptions(options, callOptions);
  checkSignal(options.signal);
}

/** @throws `invalid-argument` unless `key` is a non-empty, well-formed text; `too-large` */
export function checkKey(key: string, argument = "key"): void {
  checkText(key, argument);
  if (key === "") throw invalid(argument, "must not be empty");
  checkBytes(argument, Buffer.byteLength(key));
}

/** @throws `invalid-argument` unless `value` is bytes; `too-large` for more of them than fit with their key */
export function checkPut(key: string, value: Uint8Array): void {
  checkKey(key);
  checkValue(value, "value");
  checkBytes("key and value", Buffer.byteLength(key) + value.byteLength);
}

function checkValue(value: Uint8Array, argument: string): void {
  if (!(value instanceof Uint8Array)) throw invalid(argument, `must be a Uint8Array, got ${shown(value)}`);
}

/** @throws `invalid-argument`, `too-large` */
export function checkRange(prefix: string, options: MetaRangeOptions): void {
  checkOptions(options, rangeOptions);
  checkSignal(options.signal);
  const { after = "", limit } = options;
  checkText(prefix, "prefix");
  checkText(after, "after");
  checkBytes("prefix and after", Buffer.byteLength(prefix) + Buffer.byteLength(after));
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1))
    throw invalid("limit", `must be a positive integer, got ${shown(limit)}`);
}

/** The transaction, copied. @throws `invalid-argument`, `too-large` */
export function checkTxn(txn: MetaTxn): Required<{ [K in keyof MetaTxn]: NonNullable<MetaTxn[K]> }> {
  checkOptions(txn, txnParts, "txn");
  const { if: compares, then, else: otherwise = [] } = txn;
  checkList(compares, "if");
  for (const [at, compare] of compares.entries()) checkCompare(compare, `if[${at}]`);
  checkBranch(then, "then");
  checkBranch(otherwise, "else");
  checkBytes(
    "a transaction",
    [...compares, ...then, ...otherwise].map(bytesIn).reduce((sum, bytes) => sum + bytes, 0),
  );
  return { if: compares.map(ownCompare), then: then.map(ownOp), else: otherwise.map(ownOp) };
}

function ownCompare(compare: MetaCompare): MetaCompare {
  const { key } = compare;
  return "value" in compare ? { key, value: new Uint8Array(compare.value) } : { key, modRevision: compare.modRevision };
}

function ownOp(op: MetaOp): MetaOp {
  return op.op === "put" ? { op: "put", key: op.key, value: new Uint8Array(op.value) } : { op: "delete", key: op.key };
}

function bytesIn(part: MetaCompare | MetaOp): number {
  return Buffer.byteLength(part.key) + ("value" in part ? part.value.byteLength : 0);
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
  const size = value.length;
  if (size <= mostTxnOps) return;
  const text = `${argument} has ${size} parts, and a transaction at most ${mostTxnOps} in each: split it`;
  throw new TidemarkError("too-large", text, { limit: mostTxnOps, size });
}

function checkBytes(what: string, size: number): void {
  if (size <= mostRequestBytes) return;
  const text = `${what} has ${size} bytes, beyond the ${mostRequestBytes} of one call to a metadata store: make it smaller`;
  throw new TidemarkError("too-large", text, { limit: mostRequestBytes, size });
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
