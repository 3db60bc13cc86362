/**
 * What a store shows to whoever opens it: everything that the explorer compares.
 *
 * A message says by itself what it should be. Its payload is its tag, and filler that follows from the tag, so that one byte out of place
 * is seen without a copy of what was written:
 *
 *     b#17/40|…………………………        channel b, the 17th message of the run, 40 bytes
 */
import { FaultFound } from "./fault-found.js";

/** A message as found: which one it is, and where. */
export interface FoundMessage {
  readonly id: bigint;
  readonly tag: string;
}

/** A channel as found. */
export interface FoundChannel {
  readonly beginId: bigint;
  readonly endId: bigint;
  readonly messages: readonly FoundMessage[];
}

/** A store as found: channels by name, metadata as text. */
export interface StoreState {
  readonly channels: ReadonlyMap<string, FoundChannel>;
  readonly keys: ReadonlyMap<string, string>;
}

/** A store that nothing was ever done to. */
export const emptyState: StoreState = { channels: new Map(), keys: new Map() };

/** The tag of a message of that size. */
export function tagOf(channel: string, number: number, size: number): string {
  return `${channel}#${number}/${size}`;
}

/** The payload that belongs to a tag. */
export function payloadOf(tag: string): Uint8Array {
  const text = `${tag}|`;
  const payload = Buffer.alloc(Math.max(text.length, Number(tag.slice(tag.lastIndexOf("/") + 1))));
  for (let at = 0; at < payload.length; at += 1)
    payload[at] = (at * 7 + text.length * 31 + (text.codePointAt(at % text.length) ?? 0)) & 0xff;
  payload.write(text, "latin1");
  return payload;
}

/** The state in one line a part, for comparing and for people. */
export function describeState(state: StoreState): string {
  const channels = [...state.channels].map(([name, channel]) => {
    const messages = channel.messages.map((message) => `${message.id}=${message.tag}`);
    return `${name} [${channel.beginId}, ${channel.endId}) ${messages.join(" ")}`;
  });
  return [...channels.toSorted(), ...[...state.keys].map(([key, value]) => `${key}: ${value}`).toSorted()].join("\n");
}

/** A message as a store hands it out. */
interface ReadMessage {
  readonly id: bigint;
  readonly payload: Uint8Array;
  readonly timeMs: number;
}

/** A channel of which everything was read; finds fault with what can't be right in itself. */
export function channelOf(
  claims: { name: string; beginId: bigint; endId: bigint; messages: number },
  read: readonly ReadMessage[],
): FoundChannel {
  const { name, beginId, endId } = claims;
  let due = { id: beginId, timeMs: 0 };
  for (const { id, timeMs } of read) {
    if (id < due.id) throw new FaultFound(`${name}: id ${id} was read where ${due.id} or a higher one was due`);
    if (timeMs < due.timeMs) throw new FaultFound(`${name}: time goes back at id ${id}`);
    due = { id: id + 1n, timeMs };
  }
  if (claims.messages !== read.length) throw new FaultFound(`${name}: counts ${claims.messages} messages and shows ${read.length}`);
  if (read.length > 0 && due.id !== endId) throw new FaultFound(`${name}: ends at ${endId}, its last message is ${due.id - 1n}`);
  return { beginId, endId, messages: read.map(({ id, payload }) => ({ id, tag: checkedTag(name, id, payload) })) };
}

function checkedTag(channel: string, id: bigint, payload: Uint8Array): string {
  const tag = Buffer.from(payload).toString("latin1").split("|", 1)[0] ?? "";
  if (
    !tag.startsWith(`${channel}#`) ||
    !payloadOf(tag).every((byte, at) => byte === payload[at]) ||
    payloadOf(tag).length !== payload.length
  ) {
    throw new FaultFound(`${channel}: message ${id} has bytes that nobody wrote there: ${JSON.stringify(tag.slice(0, 40))}`);
  }
  return tag;
}
