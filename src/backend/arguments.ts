/**
 * What a back-end is asked, looked at before anything happens.
 */
import { checkFlag, checkOptions, checkSignal, checkWhole, invalid } from "../base/arguments.js";
import { TidemarkError } from "../base/errors.js";
import { isWellFormed } from "../base/well-formed.js";
import type { BackendName } from "../message/index.js";
import type { LogReaderOptions, ReadStart, ResumePoint } from "./log-backend.js";
import { checkIdOf } from "./refusals.js";

/** The longest name of anything, in bytes of UTF-8. */
const longestName = 255;

/** What a resume point may hold, in bytes: little enough for the notes that a broker keeps beside an offset. */
const longestPosition = 2048;

/** @throws `invalid-argument` unless it may name a channel or a set of resume points: 1–255 bytes of UTF-8 without NUL, and without "/" for a channel */
export function checkName(argument: string, name: unknown): asserts name is string {
  const fits =
    typeof name === "string" && name !== "" && !name.includes("\0") && isWellFormed(name) && Buffer.byteLength(name) <= longestName;
  if (!fits) throw invalid(argument, `a name of 1–${longestName} bytes of UTF-8 without NUL`, name);
}

/** @throws `invalid-argument` unless it may name a channel */
export function checkChannelName(argument: string, name: unknown): asserts name is string {
  checkName(argument, name);
  if (name.includes("/")) throw invalid(argument, 'a channel name without "/"', name);
}

/** How a reader reads, with what was left out. */
export interface ReadBounds {
  readonly maxRecords: number;
  readonly maxBytes: number;
  readonly background: boolean;
}

/** @throws `invalid-argument`; `signal.reason` if it is aborted */
export function readBounds(options: LogReaderOptions): ReadBounds {
  checkOptions(options, { maxRecords: true, maxBytes: true, background: true, signal: true });
  const { maxRecords = 1_000, maxBytes = 4 * 1024 * 1024, background = false, signal } = options;
  checkWhole("maxRecords", maxRecords, 1, 100_000);
  checkWhole("maxBytes", maxBytes, 1, Number.MAX_SAFE_INTEGER);
  checkFlag("background", background);
  checkSignal(signal);
  signal?.throwIfAborted();
  return { maxRecords, maxBytes, background };
}

/** @throws `invalid-argument` unless it is a time */
export function checkTimeMs(timeMs: unknown): void {
  if (typeof timeMs !== "number" || Number.isNaN(timeMs)) throw invalid("timeMs", "Unix milliseconds", timeMs);
}

/** @throws `invalid-argument`; `backend-mismatch` */
export function checkStart(backend: BackendName, start: ReadStart): void {
  if (start === "earliest" || start === "latest") return;
  if (typeof start !== "object" || start === null) throw invalid("start", '"earliest", "latest", { at: id } or { after: id }', start);
  checkIdOf(backend, "at" in start ? start.at : start.after);
}

/** @throws `invalid-argument`; `too-large`; `backend-mismatch` */
export function checkResumePoints(backend: BackendName, points: readonly ResumePoint[]): void {
  for (const [at, { channel, position, keepFrom }] of points.entries()) {
    checkChannelName(`points[${at}].channel`, channel);
    if (!(position instanceof Uint8Array)) throw invalid(`points[${at}].position`, "a Uint8Array", position);
    if (position.byteLength > longestPosition) {
      const text = `the position of ${channel} has ${position.byteLength} bytes, beyond the ${longestPosition} that any back-end keeps`;
      throw new TidemarkError("too-large", text, { limit: longestPosition, size: position.byteLength });
    }
    if (keepFrom !== undefined) checkIdOf(backend, keepFrom);
  }
}
