/**
 * The one error class, and the table of its codes.
 *
 * A code says what happened, `retry` what helps, `effect` whether the failed write may be there all the same. Nobody matches on texts.
 * `docs/errors.md` has an entry for each code; a test compares both ways.
 */

type Retry = "never" | "backoff" | "reopen";
type Effect = "none" | "unknown";

/** What each code means for the caller unless the place that throws knows better. */
export const errorCodes = frozenRows({
  "invalid-argument": { retry: "never", effect: "none" },
  closed: { retry: "reopen", effect: "none" },
  "channel-exists": { retry: "never", effect: "none" },
  "channel-not-found": { retry: "never", effect: "none" },
  "group-exists": { retry: "never", effect: "none" },
  "group-not-found": { retry: "never", effect: "none" },
  "position-trimmed": { retry: "never", effect: "none" },
  "position-ahead": { retry: "never", effect: "none" },
  "too-large": { retry: "never", effect: "none" },
  overloaded: { retry: "backoff", effect: "none" },
  conflict: { retry: "never", effect: "none" },
  corrupt: { retry: "never", effect: "none" },
  "unsupported-format": { retry: "never", effect: "none" },
  "disk-full": { retry: "backoff", effect: "none" },
  "io-failed": { retry: "reopen", effect: "unknown" },
  locked: { retry: "backoff", effect: "none" },
  "read-only": { retry: "never", effect: "none" },
  unrecoverable: { retry: "never", effect: "unknown" },
  "backend-failure": { retry: "backoff", effect: "unknown" },
  timeout: { retry: "backoff", effect: "none" },
  "outcome-unknown": { retry: "never", effect: "unknown" },
  "not-initialized": { retry: "never", effect: "none" },
  "backend-mismatch": { retry: "never", effect: "none" },
  // Nobody throws these yet.
  unknown: { retry: "never", effect: "unknown" },
  "channel-recreated": { retry: "never", effect: "none" },
  "rate-limited": { retry: "backoff", effect: "none" },
  "channel-fenced": { retry: "reopen", effect: "none" },
  "term-mismatch": { retry: "never", effect: "none" },
  "shutting-down": { retry: "backoff", effect: "none" },
  "txn-expired": { retry: "never", effect: "none" },
  "txn-state": { retry: "never", effect: "none" },
  "wrong-owner": { retry: "backoff", effect: "none" },
  "already-initialized": { retry: "never", effect: "none" },
  "backend-unavailable": { retry: "backoff", effect: "unknown" },
  unauthenticated: { retry: "never", effect: "none" },
  compacted: { retry: "never", effect: "none" },
  "lease-lost": { retry: "reopen", effect: "unknown" },
} as const satisfies Record<string, { retry: Retry; effect: Effect }>);

/** Every code there is. */
export type ErrorCode = keyof typeof errorCodes;

/** What the codes below carry besides their text. */
export interface ErrorDetails {
  "invalid-argument": { argument: string };
  "position-trimmed": { firstAvailable: string };
  "position-ahead": { end: string };
  /** `field` where a message is at fault: the path to it, "body.base.timestamp"; `offset` is then that in the bytes it was read from. */
  corrupt: { file: string; offset: number; field?: string };
  locked: { pid: number };
  "too-large": { limit: number; size: number };
  "channel-not-found": { channels: readonly string[] };
}

type DetailsOf<C extends ErrorCode> = C extends keyof ErrorDetails ? Readonly<ErrorDetails[C]> : Readonly<Record<string, unknown>>;

/** What the thrower knows better than the table. */
export interface ErrorOptions {
  readonly cause?: unknown;
  readonly retry?: Retry | undefined;
  readonly effect?: Effect | undefined;
}

/**
 * Everything that Tidemark throws on purpose.
 *
 * @example
 * ```ts
 * try {
 *   await mq.produce("orders", [{ payload }]);
 * } catch (error) {
 *   if (isTidemarkError(error, "disk-full")) await freeSomeSpace();
 *   else throw error;
 * }
 * ```
 */
export class TidemarkError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = "TidemarkError";
  readonly code: C;
  /** "backoff": the same call may work later. "reopen": only after opening anew. "never": the call itself must change. */
  readonly retry: Retry;
  /** "none": what was asked for has not happened and will not. "unknown": it may be there, now or after a restart. */
  readonly effect: Effect;
  readonly details: DetailsOf<C>;

  /**
   * @param details `{}` for the codes that carry none
   * @throws `invalid-argument`, itself a `TidemarkError`
   */
  constructor(code: C, message: string, details: DetailsOf<C>, options: ErrorOptions = {}) {
    if (typeof code !== "string" || !Object.hasOwn(errorCodes, code)) throw wrongArgument("code", "one of errorCodes");
    if (typeof message !== "string") throw wrongArgument("message", "a text");
    if (typeof options !== "object" || options === null) throw wrongArgument("options", "an object");
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retry = options.retry ?? errorCodes[code].retry;
    this.effect = options.effect ?? errorCodes[code].effect;
    this.details = details;
  }
}

/** Any of them, told apart by `code`: in a `case "too-large"` of a switch over it `details` are those of that code. */
export type AnyTidemarkError = { [C in ErrorCode]: TidemarkError<C> }[ErrorCode];

/** Whether `error` is ours, and of that code if one is given. */
export function isTidemarkError(error: unknown): error is AnyTidemarkError;
export function isTidemarkError<C extends ErrorCode>(error: unknown, code?: C): error is TidemarkError<C>;
export function isTidemarkError(error: unknown, code?: ErrorCode): boolean {
  return error instanceof TidemarkError && (code === undefined || error.code === code);
}

/** What an error is made of is looked at like any other argument. */
function wrongArgument(argument: string, expected: string): TidemarkError<"invalid-argument"> {
  return new TidemarkError("invalid-argument", `${argument} of a TidemarkError must be ${expected}`, { argument });
}

/** Whoever imports the table shares it with this module. */
function frozenRows<T extends Readonly<Record<string, object>>>(table: T): Readonly<T> {
  for (const row of Object.values(table)) Object.freeze(row);
  return Object.freeze(table);
}
