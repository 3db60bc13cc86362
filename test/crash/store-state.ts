/**
 * What a store shows to whoever opens it: everything that the explorer compares.
 *
 * A message says by itself what it should be. Its payload is its tag, and filler that follows from the tag, so that one byte out of place
 * is seen without a copy of what was written:
 *
 *     b#17/40|…………………………        channel b, the 17th message of the run, 40 bytes
 */
import type { ChannelView, Engine } from "../../src/storage/index.js";
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

/** Reads everything, and finds fault with what can't be right in itself. */
export async function readState(engine: Engine): Promise<StoreState> {
  const channels = new Map<string, FoundChannel>();
  for (const view of engine.channels()) channels.set(view.name, await readChannel(engine, view));
  const keys = new Map(engine.meta.range("").map((entry) => [entry.key, Buffer.from(entry.value).toString("utf8")]));
  return { channels, keys };
}

/** The state in one line a part, for comparing and for people. */
export function describeState(state: StoreState): string {
  const channels = [...state.channels].map(([name, channel]) => {
    const messages = channel.messages.map((message) => `${message.id}=${message.tag}`);
    return `${name} [${channel.beginId}, ${channel.endId}) ${messages.join(" ")}`;
  });
  return [...channels.toSorted(), ...[...state.keys].map(([key, value]) => `${key}: ${value}`).toSorted()].join("\n");
}

async function readChannel(engine: Engine, view: ChannelView): Promise<FoundChannel> {
  const messages: FoundMessage[] = [];
  const reader = engine.reader(view);
  let lastTimeMs = 0;
  for (let from = view.beginId; ;) {
    const batch = await reader.read(from, 7, 1500);
    if (batch.length === 0) break;
    for (const message of batch) {
      if (message.id < from) throw new FaultFound(`${view.name}: id ${message.id} was read where ${from} or a higher one was due`);
      if (message.timeMs < lastTimeMs) throw new FaultFound(`${view.name}: time goes back at id ${message.id}`);
      messages.push({ id: message.id, tag: checkedTag(view.name, message.id, message.payload) });
      from = message.id + 1n;
      lastTimeMs = message.timeMs;
    }
  }
  const count = await engine.countFrom(view, view.beginId);
  if (count !== messages.length) throw new FaultFound(`${view.name}: counts ${count} messages and shows ${messages.length}`);
  const last = messages.at(-1);
  if (last !== undefined && last.id + 1n !== view.endId)
    throw new FaultFound(`${view.name}: ends at ${view.endId}, last message is ${last.id}`);
  return { beginId: view.beginId, endId: view.endId, messages };
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
