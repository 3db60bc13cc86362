/**
 * A store in the fewest words: what any history of changes must have come to.
 *
 * It is told of a change in the change's turn, and keeps a picture of the state after each one. Whatever readers see must be one of
 * the pictures, and never an earlier one than they saw before.
 */
import type { Engine, MetaEntry } from "../engine.js";

/** One thing that a change drafts. */
export type Action =
  | { readonly do: "create"; readonly name: string }
  | { readonly do: "destroy"; readonly name: string }
  | { readonly do: "append"; readonly name: string; readonly texts: readonly string[]; readonly gap: number }
  | { readonly do: "trim"; readonly name: string; readonly ahead: number }
  | { readonly do: "put"; readonly key: string; readonly text: string }
  | { readonly do: "delete"; readonly key: string };

/** A message as it must come back. */
export interface ModelMessage {
  readonly id: bigint;
  readonly text: string;
  readonly timeMs: number;
}

/** One life of a channel. */
export interface ModelChannel {
  readonly name: string;
  readonly firstId: bigint;
  beginId: bigint;
  endId: bigint;
  lastId: bigint;
  /** All that were ever stored, trimmed or not. */
  readonly messages: ModelMessage[];
}

type ModelEntry = Omit<MetaEntry, "value"> & { readonly text: string };

/** The state after all changes so far. */
export class HistoryModel {
  readonly channels = new Map<string, ModelChannel>();
  readonly meta = new Map<string, ModelEntry>();
  /** The greatest id given out in a channel that is gone. */
  floor = 0n;
  revision = 0n;
  timeMs = 0;
  #nextRevision = 0n;
  /** Channels that the running change made. */
  readonly #madeNow = new Set<string>();

  /** A model of its own that stands where this one does. */
  copy(): HistoryModel {
    const copy = new HistoryModel();
    for (const [name, channel] of this.channels) copy.channels.set(name, { ...channel, messages: [...channel.messages] });
    for (const [key, entry] of this.meta) copy.meta.set(key, entry);
    copy.floor = this.floor;
    copy.revision = this.revision;
    copy.timeMs = this.timeMs;
    return copy;
  }

  beginChange(nowMs: number): void {
    this.#madeNow.clear();
    this.timeMs = nowMs;
    this.#nextRevision = this.revision + 1n;
  }

  /** The code with which `action` must be refused now; undefined if it must not. `begin` is where the draft has its channel begin. */
  refusal(action: Action, begin: bigint): string | undefined {
    if (!("name" in action)) return undefined;
    const channel = this.channels.get(action.name);
    if (action.do === "create") return channel === undefined ? undefined : "channel-exists";
    if (channel === undefined) return "channel-not-found";
    if (action.do === "append" && (action.texts.length === 0 || this.#madeNow.has(action.name))) return "invalid-argument";
    if (action.do !== "trim") return undefined;
    return action.ahead > 0 && begin + BigInt(action.ahead) <= channel.endId ? undefined : "invalid-argument";
  }

  /** Takes over what is not refused; `id` is where the engine put a new channel or its messages, or trims. Whether it changed anything. */
  apply(action: Action, id: bigint): boolean {
    switch (action.do) {
      case "create":
        this.#madeNow.add(action.name);
        this.channels.set(action.name, { ...emptyAt(id), name: action.name, firstId: id, messages: [] });
        return true;
      case "destroy":
        this.#destroy(action.name);
        return true;
      case "append":
        this.#append(this.existing(action.name), id, action.texts);
        return true;
      case "trim":
        this.#trim(this.existing(action.name), id);
        return true;
      case "put":
        this.#put(action.key, action.text);
        return true;
      case "delete":
        if (!this.meta.delete(action.key)) return false;
        this.revision = this.#nextRevision;
        return true;
    }
  }

  existing(name: string): ModelChannel {
    const channel = this.channels.get(name);
    if (channel === undefined) throw new Error(`the model has no channel ${name}`);
    return channel;
  }

  retained(channel: ModelChannel): ModelMessage[] {
    return channel.messages.filter(({ id }) => id >= channel.beginId);
  }

  /** Everything that can be seen without reading messages. */
  picture(): string {
    const entries = [...this.meta.values()].map((entry) => [entry.key, entry.text, entry.createRevision, entry.modRevision]);
    return pictureOf([...this.channels.values()], entries, this.revision);
  }

  #destroy(name: string): void {
    const { lastId } = this.existing(name);
    if (lastId > this.floor) this.floor = lastId;
    this.channels.delete(name);
  }

  #append(channel: ModelChannel, firstId: bigint, texts: readonly string[]): void {
    for (const [at, text] of texts.entries()) channel.messages.push({ id: firstId + BigInt(at), text, timeMs: this.timeMs });
    channel.lastId = firstId + BigInt(texts.length - 1);
    channel.endId = channel.lastId + 1n;
  }

  /** Only a message that goes moves the begin. */
  #trim(channel: ModelChannel, beforeId: bigint): void {
    const last = this.retained(channel).findLast(({ id }) => id < beforeId);
    if (last !== undefined) channel.beginId = last.id + 1n;
  }

  #put(key: string, text: string): void {
    const createRevision = this.meta.get(key)?.createRevision ?? this.#nextRevision;
    this.meta.set(key, { key, text, createRevision, modRevision: this.#nextRevision });
    this.revision = this.#nextRevision;
  }
}

/** The same of what an engine shows to readers. */
export function visiblePicture(engine: Engine): string {
  const entries = engine.meta
    .range("")
    .map(({ key, value, createRevision, modRevision }) => [key, Buffer.from(value).toString(), createRevision, modRevision]);
  return pictureOf([...engine.channels()], entries, engine.meta.revision);
}

function pictureOf(
  channels: readonly { readonly name: string; readonly firstId: bigint; readonly beginId: bigint; readonly endId: bigint }[],
  entries: readonly (readonly unknown[])[],
  revision: bigint,
): string {
  const lines = channels.map(({ name, firstId, beginId, endId }) => `channel ${name}: ${firstId} [${beginId}, ${endId})`);
  return [...lines.sort(), ...entries.map((entry) => `key ${entry.join(" ")}`).sort(), `revision ${revision}`].join("\n");
}

function emptyAt(firstId: bigint): Pick<ModelChannel, "beginId" | "endId" | "lastId"> {
  return { beginId: firstId, endId: firstId, lastId: firstId - 1n };
}
