/**
 * Where a read of the log begins, and what it leaves out.
 */
import { checkWhole, invalid } from "../base/arguments.js";
import { checkMessageId, type MessageId } from "./message-id.js";
import { checkPlainMessage, checkStoredMessage } from "./message-check.js";
import { isMessageType, isSystemType, type MessageType } from "./message-type.js";
import type { AnyPlainMessage, StoredMessage, TxnMessage } from "./stored-message.js";
import type { TimeTick } from "../base/time-tick.js";
import { checkUint64 } from "../base/uint64.js";

/**
 * Where a read begins.
 *
 * all: at the first available. latest: with what is appended from now on. startFrom(id): ticks >= that of the record at id; startAfter(id): ticks greater. A
 * transaction counts whole by its commit, wherever it began. startFromTime: ticks from that Unix millisecond on.
 */
export type DeliverPolicy =
  | { readonly kind: "all" }
  | { readonly kind: "latest" }
  | { readonly kind: "startFrom"; readonly id: MessageId }
  | { readonly kind: "startAfter"; readonly id: MessageId }
  | { readonly kind: "startFromTime"; readonly timeMs: number };

/** What a read leaves out; several count together. System types can't be named. */
export type DeliverFilter =
  | { readonly kind: "timeTickGT"; readonly timeTick: TimeTick }
  | { readonly kind: "timeTickGTE"; readonly timeTick: TimeTick }
  | { readonly kind: "messageType"; readonly types: readonly MessageType[] };

/** The seed's constructors of policies. @throws `invalid-argument` for what is no id, or no time */
export const deliverPolicy = Object.freeze({
  all: (): DeliverPolicy => ({ kind: "all" }),
  latest: (): DeliverPolicy => ({ kind: "latest" }),
  startFrom: (id: MessageId): DeliverPolicy => {
    checkMessageId("id", id);
    return { kind: "startFrom", id };
  },
  startAfter: (id: MessageId): DeliverPolicy => {
    checkMessageId("id", id);
    return { kind: "startAfter", id };
  },
  startFromTime: (timeMs: number): DeliverPolicy => {
    checkWhole("timeMs", timeMs, 0, Number.MAX_SAFE_INTEGER);
    return { kind: "startFromTime", timeMs };
  },
});

/** @throws `invalid-argument` for a policy of no kind, or one whose id or time is none */
export function checkPolicy(policy: DeliverPolicy, argument = "policy"): void {
  if (typeof policy !== "object" || policy === null) throw invalid(argument, "an object with a kind", policy);
  switch (policy.kind) {
    case "all":
    case "latest":
      return;
    case "startFrom":
    case "startAfter":
      return checkMessageId(`${argument}.id`, policy.id);
    case "startFromTime":
      return checkWhole(`${argument}.timeMs`, policy.timeMs, 0, Number.MAX_SAFE_INTEGER);
    default:
      throw invalid(`${argument}.kind`, "all, latest, startFrom, startAfter or startFromTime", policy satisfies never);
  }
}

/** The seed's constructors of filters. @throws `invalid-argument` as `checkFilter` does */
export const deliverFilter = Object.freeze({
  timeTickGT: (timeTick: TimeTick): DeliverFilter => checkedFilter({ kind: "timeTickGT", timeTick }),
  timeTickGTE: (timeTick: TimeTick): DeliverFilter => checkedFilter({ kind: "timeTickGTE", timeTick }),
  messageType: (...types: MessageType[]): DeliverFilter => checkedFilter({ kind: "messageType", types }),
});

/** @throws `invalid-argument` for a filter of no kind, a type that is none, or one of the system's */
export function checkFilter(filter: DeliverFilter, argument = "filter"): void {
  if (typeof argument !== "string") throw invalid("argument", "a text", argument);
  if (typeof filter !== "object" || filter === null) throw invalid(argument, "an object with a kind", filter);
  switch (filter.kind) {
    case "timeTickGT":
    case "timeTickGTE":
      return checkUint64(`${argument}.timeTick`, filter.timeTick);
    case "messageType":
      return checkTypes(filter.types, `${argument}.types`);
    default:
      throw invalid(`${argument}.kind`, "timeTickGT, timeTickGTE or messageType", filter satisfies never);
  }
}

function checkTypes(types: readonly MessageType[], argument: string): void {
  if (!Array.isArray(types)) throw invalid(argument, "an array of names of message types", types);
  for (const type of types as readonly MessageType[]) {
    if (!isMessageType(type)) throw invalid(argument, "names of message types", type);
    if (isSystemType(type)) throw invalid(argument, "types that clients append: system types always pass", type);
  }
}

/**
 * Whether a record passes all filters, as it stands in the log.
 *
 * Ticks of a transaction's begin, bodies and rollback are not looked at: its commit decides for all. System types pass any filter of types.
 *
 * @throws `invalid-argument` for a filter that is none, or what is no message
 */
export function passesFilters(filters: readonly DeliverFilter[], record: AnyPlainMessage): boolean {
  checkFilters(filters);
  checkPlainMessage("record", record);
  return passesAll(filters, record);
}

/**
 * What of a message a reader with these filters is given: all of it, a transaction with the bodies that pass, or nothing. A transaction with nothing left of
 * the types that were asked for is not delivered.
 *
 * @throws `invalid-argument` for a filter that is none, or what is no message
 */
export function filterMessage(filters: readonly DeliverFilter[], message: StoredMessage): StoredMessage | undefined {
  checkFilters(filters);
  checkStoredMessage("message", message);
  if (message.kind === "message") return passesAll(filters, message) ? message : undefined;
  return passesAll(filters, message.commit) ? withBodies(filters, message) : undefined;
}

function checkFilters(filters: unknown): asserts filters is readonly DeliverFilter[] {
  if (!Array.isArray(filters)) throw invalid("filters", "an array of filters", filters);
  // A name is put together only for what is wrong: this is done once a message.
  const wrong = filters.findIndex((filter: DeliverFilter) => !isFilter(filter));
  if (wrong >= 0) checkFilter(filters[wrong] as DeliverFilter, `filters[${wrong}]`);
}

function isFilter(filter: DeliverFilter | undefined): boolean {
  switch (filter?.kind) {
    case "timeTickGT":
    case "timeTickGTE":
      return typeof filter.timeTick === "bigint";
    case "messageType":
      return Array.isArray(filter.types);
    default:
      // Also one of a kind that there is not.
      return false;
  }
}

function passesAll(filters: readonly DeliverFilter[], record: AnyPlainMessage): boolean {
  return filters.every((filter) => passes(filter, record));
}

function withBodies(filters: readonly DeliverFilter[], txn: TxnMessage): TxnMessage | undefined {
  if (!filters.some(({ kind }) => kind === "messageType")) return txn;
  const messages = txn.messages.filter((body) => passesAll(filters, body));
  return messages.length === 0 ? undefined : { ...txn, messages };
}

function passes(filter: DeliverFilter, record: AnyPlainMessage): boolean {
  switch (filter.kind) {
    case "timeTickGT":
      return isBeforeCommit(record) || record.timeTick > filter.timeTick;
    case "timeTickGTE":
      return isBeforeCommit(record) || record.timeTick >= filter.timeTick;
    case "messageType":
      return isSystemType(record.type) || filter.types.includes(record.type);
  }
}

function isBeforeCommit(record: AnyPlainMessage): boolean {
  return record.txn !== undefined && record.type !== "commitTxn";
}

function checkedFilter(filter: DeliverFilter): DeliverFilter {
  checkFilter(filter);
  return filter;
}
