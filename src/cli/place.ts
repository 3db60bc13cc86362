/**
 * Places in a channel as they are typed: an id, an end, or a time.
 *
 *     263405372866560001    the message with this id, or the next one
 *     earliest, latest      the first message retained; behind the last one
 *     2026-01-31T08:00Z     the first message of that time or later; without a zone it is UTC
 *     10m                   the same, ten minutes ago: s, m, h, d, w
 */
import type { RocksMq } from "../rocksmq/index.js";
import { UsageError } from "./failure.js";

/** Where to begin or to cut, before anybody has looked into the channel. */
export type Place =
  | { readonly kind: "id"; readonly id: bigint }
  | { readonly kind: "earliest" }
  | { readonly kind: "latest" }
  | { readonly kind: "time"; readonly timeMs: number };

/** Help lines of the commands that take a place. */
export const placeHelp: readonly string[] = [
  "An id is a number. A time is ISO 8601 (2026-01-31, 2026-01-31T08:00Z; without a",
  "zone it is UTC) or that long ago (90s, 10m, 2h, 7d, 1w), and stands for the",
  "first message of that time or later.",
];

const largestId = 2n ** 63n - 1n;
const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** @param what names the operand or option in the error */
export function parsePlace(text: string, what: string, nowMs: number): Place {
  if (text === "earliest" || text === "latest") return { kind: text };
  const place = idOrTime(text, what, nowMs);
  if (place === undefined) throw new UsageError(`${what} is earliest, latest, an id or a time (2026-01-31T08:00Z, 10m), not "${text}"`);
  return place;
}

/** Where to cut: the ends don't count, and neither does a time that has not come, behind which all there is would go. */
export function parseCut(text: string, what: string, nowMs: number): Place {
  const place = idOrTime(text, what, nowMs);
  if (place === undefined) throw new UsageError(`${what} is an id or a time (2026-01-31T08:00Z, 10m), not "${text}"`);
  if (place.kind === "time" && place.timeMs > nowMs) {
    throw new UsageError(`${what} ${text} is in the future, which would remove all there is: name an id, or a time that has been`);
  }
  return place;
}

function idOrTime(text: string, what: string, nowMs: number): Place | undefined {
  if (/^\d+$/.test(text)) {
    const id = BigInt(text);
    if (id > largestId) throw new UsageError(`${what}: ${text} is above the largest id, ${largestId}`);
    return { kind: "id", id };
  }
  const timeMs = parseTime(text, nowMs);
  return timeMs === undefined ? undefined : { kind: "time", timeMs };
}

/** Milliseconds since 1970; undefined for what is no time. */
export function parseTime(text: string, nowMs: number): number | undefined {
  const ago = /^(\d{1,9})([smhdw])$/.exec(text);
  if (ago !== null) return nowMs - Number(ago[1]) * (unitMs[ago[2] ?? ""] ?? 0);
  const parts = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?)?$/.exec(text);
  if (parts === null) return undefined;
  const [, day = "", clock = "00:00", zone = "Z"] = parts;
  const timeMs = Date.parse(`${day}T${clock}${zone}`);
  // Date.parse takes the 31st of February for the 3rd of March.
  const exists = !Number.isNaN(timeMs) && new Date(Date.parse(`${day}T00:00Z`)).toISOString().startsWith(day);
  return exists ? timeMs : undefined;
}

/** The id that a place means in a channel now. "latest" and a time after all messages: the channel's end. */
export async function resolvePlace(mq: RocksMq, channel: string, place: Place): Promise<bigint> {
  if (place.kind === "id") return place.id;
  const at = place.kind === "time" ? await mq.idAt(channel, place.timeMs) : undefined;
  if (at !== undefined) return at;
  const { beginId, endId } = await mq.describeChannel(channel);
  return place.kind === "earliest" ? beginId : endId;
}
