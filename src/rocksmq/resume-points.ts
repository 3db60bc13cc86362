/**
 * Places that a consumer keeps itself: bytes of its own beside its cursor, both in one change.
 *
 *     <group>/<channel>/position      what the consumer wants back
 *     <group>/<channel>/current_id    its cursor, which follows: it tells retention what is still needed
 *
 * For consumers whose place is more than an id, as a stream's is, which reads many channels in the order of their times.
 */
import { TidemarkError } from "../base/errors.js";
import type { Draft } from "../storage/index.js";
import { checkId, invalid } from "./arguments.js";
import type { Core } from "./core.js";
import { passageThrough } from "./cursor-lines.js";
import { encodeCursor, requirePair } from "./cursor.js";
import { cursorKey, positionKey } from "./keys.js";
import { checkChannelName, checkGroupName } from "./names.js";
import { positionAhead } from "./refusals.js";

/** What a consumer that keeps its own place leaves behind in a channel. */
export interface ResumePoint {
  readonly channel: string;
  /** Where the group's cursor goes: the first id that the consumer may still need. Undefined, or trimmed already: the channel's `beginId`. */
  readonly nextId: bigint | undefined;
  /** Whatever the consumer wants back; at most 64 KiB. */
  readonly position: Uint8Array;
}

/** The bytes of one position. */
const mostBytes = 64 * 1024;

/** See `StreamQueue.saveResumePoints`. */
export async function saveResumePoints(core: Core, group: string, points: readonly ResumePoint[]): Promise<void> {
  checkGroupName("group", group);
  checkArray("points", points);
  const checked = points.map(checkPoint);
  core.refuseChanges();
  const lines = checked.map(({ channel }) => core.lines.of(group, channel));
  const saved = core.order.write(
    (draft) => {
      const cursors = checked.map(({ channel, nextId }) => cursorOf(draft, group, channel, nextId));
      checked.forEach(({ channel, position }, at) => {
        draft.put(positionKey(group, channel), position);
        draft.put(cursorKey(group, channel), encodeCursor(cursors[at] ?? 0n));
      });
    },
    { ack: "written", after: passageThrough(lines) },
  );
  for (const line of lines) line.expectMove(saved);
  await saved;
  for (const line of lines) line.wake();
  // What its cursor held back may go now.
  for (const { channel } of checked) core.keeper.cursorMoved(channel);
}

/** See `StreamQueue.loadResumePoints`. */
export async function loadResumePoints(core: Core, group: string, channels: readonly string[]): Promise<Map<string, Uint8Array>> {
  checkGroupName("group", group);
  checkArray("channels", channels);
  channels.forEach((channel, at) => checkChannelName(`channels[${at}]`, channel));
  return core.order.observe(({ meta }) => {
    const found = new Map<string, Uint8Array>();
    for (const channel of channels) {
      const entry = meta.get(positionKey(group, channel));
      if (entry !== undefined) found.set(channel, new Uint8Array(entry.value));
    }
    return found;
  });
}

function checkArray(argument: string, value: unknown): void {
  if (!Array.isArray(value)) throw invalid(argument, "an array", value);
}

/** A copy: the bytes are the caller's again after the call. */
function checkPoint({ channel, nextId, position }: ResumePoint, at: number): ResumePoint {
  checkChannelName(`points[${at}].channel`, channel);
  if (nextId !== undefined) checkId(`points[${at}].nextId`, nextId);
  if (!(position instanceof Uint8Array)) throw invalid(`points[${at}].position`, "a Uint8Array", position);
  const size = position.byteLength;
  if (size > mostBytes) {
    const text = `points[${at}].position has ${size} bytes, beyond the bound of ${mostBytes}: make it smaller`;
    throw new TidemarkError("too-large", text, { limit: mostBytes, size });
  }
  return { channel, nextId, position: new Uint8Array(position) };
}

/** Where the cursor goes: never before what is retained. @throws `channel-not-found`, `group-not-found`, `position-ahead` */
function cursorOf(draft: Draft, group: string, channel: string, nextId: bigint | undefined): bigint {
  const { beginId, endId } = requirePair(draft, group, channel);
  if (nextId === undefined || nextId < beginId) return beginId;
  if (nextId > endId) throw positionAhead(channel, nextId, endId);
  return nextId;
}
