/**
 * A claim of speed, and what it is measured in.
 */
import type { Clock } from "../base/clock.js";
import type { Figure } from "./figure.js";
import type { Scratch } from "./scratch.js";

/** One file a claim, in claims/. */
export interface Claim {
  /** As `--only` takes it. */
  readonly name: string;
  /** The head of its lines in the report. */
  readonly about: string;
  /** Resolves with its figures, or with why there are none here. Leaves nothing behind, whatever happens. */
  run(setting: Setting): Promise<readonly Figure[] | { readonly skipped: string }>;
}

/** How much is measured: "quick" is to see that it works, "full" has the ten million messages too. */
export type BenchSize = "quick" | "usual" | "full";

/** What a claim works with. */
export interface Setting {
  readonly size: BenchSize;
  readonly scratch: Scratch;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Says what is going on. */
  readonly note: (text: string) => void;
}

/** By the size of the run; a full one does as the usual one unless it says otherwise. */
export function sized<T>({ size }: Pick<Setting, "size">, by: { readonly quick: T; readonly usual: T; readonly full?: T }): T {
  return size === "quick" ? by.quick : size === "full" ? (by.full ?? by.usual) : by.usual;
}

/** Resolves after so long. @throws `signal.reason` */
export async function pause({ clock, signal }: Pick<Setting, "clock" | "signal">, ms: number): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve) => {
    const done = (): void => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.setTimer(ms, done, { keepAlive: true });
    signal.addEventListener("abort", done);
  });
  signal.throwIfAborted();
}
