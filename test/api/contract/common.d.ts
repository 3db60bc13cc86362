/// <reference lib="esnext.disposable" />
// The contract, copied: what every door shares, as far as it is built.

/** What holds a resource. Idempotent; disposing is closing. */
export interface Closable extends AsyncDisposable {
  close(): Promise<void>;
}
/** Aborted calls reject with `signal.reason`. Calls in flight, waits and a parked next() keep the process alive; an idle open store does not. */
export interface Abortable {
  signal?: AbortSignal | undefined;
}

declare const brand: unique symbol;
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/** Logical time, uint64: Unix milliseconds << 18 | an 18-bit counter. Comparable inside one pchannel or one stream. */
export type TimeTick = Brand<bigint, "TimeTick">;
export function timeTick(physicalMs: number, logical?: number): TimeTick;
/** Brands a raw uint64; outside the range: `invalid-argument`. */
export function timeTickFrom(raw: bigint): TimeTick;
export function physicalMs(tick: TimeTick): number;
export function logicalOf(tick: TimeTick): number;
export function addMs(tick: TimeTick, ms: number): TimeTick;
export function maxTick(...ticks: TimeTick[]): TimeTick;

export type BackendName = "memory" | "rocksmq" | "kafka" | "pulsar" | "woodpecker";
/** A place in one channel of one back-end. Ids of different back-ends never compare: `backend-mismatch`. */
export interface MessageId {
  readonly backend: BackendName;
  compare(other: MessageId): -1 | 0 | 1;
  equals(other: MessageId): boolean;
  /** Milvus's marshalled string (rocksmq, kafka: signed base 36; pulsar, woodpecker: base64; memory: decimal). Round-trips. */
  toString(): string;
  /** The bytes that Milvus keeps in a position (rocksmq, kafka: int64 little-endian; pulsar: MessageIdData). Round-trips. */
  toBytes(): Uint8Array;
  toJSON(): { backend: BackendName; id: string };
}
export function messageIdFromString(backend: BackendName, text: string): MessageId;
export function messageIdFromBytes(backend: BackendName, bytes: Uint8Array): MessageId;
/** For JSON.stringify: bigint → decimal text, bytes → base64, ids → toJSON. */
export function jsonReplacer(key: string, value: unknown): unknown;

export type ErrorCode =
  | "invalid-argument"
  | "closed"
  | "timeout"
  | "unknown"
  | "channel-exists"
  | "channel-not-found"
  | "channel-recreated"
  | "group-exists"
  | "group-not-found"
  | "position-trimmed"
  | "position-ahead"
  | "too-large"
  | "overloaded"
  | "rate-limited"
  | "conflict"
  | "corrupt"
  | "unsupported-format"
  | "disk-full"
  | "io-failed"
  | "locked"
  | "read-only"
  | "channel-fenced"
  | "term-mismatch"
  | "shutting-down"
  | "txn-expired"
  | "txn-state"
  | "wrong-owner"
  | "outcome-unknown"
  | "not-initialized"
  | "already-initialized"
  | "backend-failure"
  | "backend-mismatch"
  | "backend-unavailable"
  | "unauthenticated"
  | "compacted"
  | "lease-lost"
  | "unrecoverable";
/** What the codes below carry; docs/errors.md has the whole table. */
export interface ErrorDetails {
  "invalid-argument": { argument: string };
  "position-trimmed": { firstAvailable: string };
  "position-ahead": { end: string };
  corrupt: { file: string; offset: number };
  locked: { pid: number };
  "too-large": { limit: number; size: number };
  "channel-not-found": { channels: readonly string[] };
}
/** The one error class. `retry` says what helps; `effect` whether the failed write may be there all the same. */
export class TidemarkError<C extends ErrorCode = ErrorCode> extends Error {
  readonly code: C;
  readonly retry: "never" | "backoff" | "reopen";
  readonly effect: "none" | "unknown";
  readonly details: C extends keyof ErrorDetails ? Readonly<ErrorDetails[C]> : Readonly<Record<string, unknown>>;
}
export function isTidemarkError<C extends ErrorCode>(e: unknown, code?: C): e is TidemarkError<C>;

/** All time comes through here; a wall clock is never trusted for order. */
export interface Clock {
  nowMs(): number;
  monotonicMs(): number;
  /** Calls `f` once after `ms`; the returned function cancels. `keepAlive` (default false) holds the process, as a caller's wait must. */
  setTimer(ms: number, f: () => void, options?: { keepAlive?: boolean | undefined }): () => void;
}
/** The shape of prom-client's registry use, reduced; absent = no metrics. */
export interface Metrics {
  counter(name: string, help: string, labels?: readonly string[]): { add(n: number, labels?: Record<string, string>): void };
  gauge(name: string, help: string, labels?: readonly string[]): { set(n: number, labels?: Record<string, string>): void };
  histogram(name: string, help: string, labels?: readonly string[]): { observe(n: number, labels?: Record<string, string>): void };
}
/** The shape of pino, console and others; absent = silent. */
export interface Logger {
  debug(fields: object, text: string): void;
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}
