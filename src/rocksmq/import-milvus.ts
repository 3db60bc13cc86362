/**
 * Copies channels out of the directory of a stopped Milvus's RocksMQ.
 *
 *     a copy of the directory ─▶ for each topic: a channel that begins at the topic's first id ─▶ its messages, with their ids
 *
 * A topic's messages go into the queue in changes of about a megabyte; ids need not follow each other, and those that do make a batch.
 */
import { TidemarkError } from "../base/errors.js";
import { type Draft, type MilvusCopy, type MilvusMessage, type MilvusTopic, openMilvusCopy, PageCheck } from "../storage/index.js";
import { checkOptions, invalid } from "./arguments.js";
import { encodeChannelRecord } from "./channel-record.js";
import type { Core } from "./core.js";
import type { RocksMq } from "./door.js";
import { channelKey } from "./keys.js";
import { checkChannelName } from "./names.js";
import { Queue } from "./queue.js";

/** What is copied out of a Milvus standalone's RocksMQ directory, and where to. */
export interface ImportMilvusOptions {
  /** The data directory; the metadata is `<from>_meta_kv`. Milvus must not be running. */
  from: string;
  /** It has no channel of a topic's name, and has destroyed none since that could have given out the topic's ids: best a new queue. */
  into: RocksMq;
  /** Default: all that Milvus's metadata knows, empty ones too. */
  topics?: readonly string[] | undefined;
  /** Called again and again; `messages` of this topic are stored so far. */
  onProgress?: ((progress: { topic: string; messages: number }) => void) | undefined;
}

/**
 * Copies channels out of a stopped Milvus standalone's RocksMQ directory, which is never written to: it works on a copy of it, with hard links
 * for what RocksDB never changes, and compares the original with what it was. Resolves once all messages are durable, with their ids and
 * payloads as they were, and properties where Milvus kept them beside the payload. `timeMs` is the time of the import: Milvus keeps none.
 *
 * The channels keep everything (`retention: {}`), whatever the queue's own retention is: that would let old messages go while the import is under
 * way. `alterChannel` gives them another.
 *
 * What the directory should hold and does not, as after a crash or a copy that was cut short, is told to the queue's logger as a warning, a
 * sentence each, and everything before it is imported. If it rejects on the way, or the process dies, some channels are there already, each a
 * valid beginning of its topic: begin again with a new queue. A copy that a dead process left is taken away by the next import into the same queue.
 * Closing the queue ends it so at the next megabyte, with `closed`.
 *
 * @throws `invalid-argument` for what is no RocksMQ directory, a topic that is not there, and without the peer `@nxtedition/rocksdb`;
 * `channel-exists`; `locked` while Milvus has it open; `conflict` when the original changed meanwhile; `closed`; `corrupt`; `disk-full`; `io-failed`
 *
 * @example
 * ```ts
 * const mq = await openRocksMq({ dir: "./tidemark-data/queue", logger: console });
 * try {
 *   const { topics, messages } = await importMilvusRocksMq({ from: "/var/lib/milvus/rdb_data", into: mq });
 *   console.log(`${messages} messages of ${topics} topics`);
 * } finally {
 *   await mq.close();
 * }
 * ```
 */
export async function importMilvusRocksMq(options: ImportMilvusOptions): Promise<{ topics: number; messages: number }> {
  checkOptions(options, { from: true, into: true, topics: true, onProgress: true });
  const { from, into, topics, onProgress = () => undefined } = options;
  if (typeof from !== "string" || from === "" || from.includes("\0")) throw invalid("from", "the path of a directory", from);
  if (!(into instanceof Queue)) throw invalid("into", "an open queue of openRocksMq", into);
  if (topics !== undefined && !Array.isArray(topics)) throw invalid("topics", "an array of names", topics);
  if (typeof onProgress !== "function") throw invalid("onProgress", "a function", onProgress);
  topics?.forEach((name) => checkChannelName("topics", name));
  return into.within(async (core) => {
    core.refuseChanges();
    const copy = await openMilvusCopy(withoutSlash(from), core.dir);
    try {
      return await new MilvusImport(core, copy, from, onProgress).run(topics);
    } finally {
      await copy.close();
    }
  });
}

function withoutSlash(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, "") : path;
}

class MilvusImport {
  readonly #core: Core;
  readonly #copy: MilvusCopy;
  readonly #from: string;
  readonly #onProgress: NonNullable<ImportMilvusOptions["onProgress"]>;

  constructor(core: Core, copy: MilvusCopy, from: string, onProgress: NonNullable<ImportMilvusOptions["onProgress"]>) {
    this.#core = core;
    this.#copy = copy;
    this.#from = from;
    this.#onProgress = onProgress;
  }

  async run(names: readonly string[] | undefined): Promise<{ topics: number; messages: number }> {
    const topics = this.#chosen(names);
    for (const { name } of topics) {
      checkChannelName("topics", name);
      if (this.#core.engine.channel(name) !== undefined) throw alreadyThere(name);
    }
    for (const missing of this.#copy.missing) this.#warn(missing);
    let messages = 0;
    for (const topic of topics) messages += await this.#topic(topic);
    if (!(await this.#copy.isOriginalUnchanged())) throw changedMeanwhile(this.#from);
    return { topics: topics.length, messages };
  }

  #chosen(names: readonly string[] | undefined): readonly MilvusTopic[] {
    if (names === undefined) return this.#copy.topics;
    return [...new Set(names)].map((name) => {
      const topic = this.#copy.topics.find((one) => one.name === name);
      if (topic !== undefined) return topic;
      const there = this.#copy.topics.map((one) => JSON.stringify(one.name)).join(", ");
      const text = `there is no topic ${JSON.stringify(name)} in ${this.#from}; what there is: ${there || "none"}`;
      throw new TidemarkError("invalid-argument", text, { argument: "topics" });
    });
  }

  async #topic(topic: MilvusTopic): Promise<number> {
    const { name } = topic;
    // A close waits for this call.
    this.#core.refuseCalls();
    const ends = await this.#copy.ends(name);
    await this.#core.order.control((draft) => {
      if (draft.channel(name) !== undefined) throw alreadyThere(name);
      draft.createChannel(name, ends);
      draft.put(channelKey(name), encodeChannelRecord({ createdAtMs: draft.nowMs, retention: {} }));
    });
    const check = new PageCheck(topic);
    let count = 0;
    this.#onProgress({ topic: name, messages: 0 });
    for await (const messages of this.#copy.messages(name)) {
      this.#core.refuseCalls();
      await this.#core.order.write((draft) => copyAll(draft, name, messages));
      for (const { id, payload } of messages) check.take(id, payload.byteLength);
      count += messages.length;
      this.#onProgress({ topic: name, messages: count });
    }
    if (check.missingBytes > 0)
      this.#warn(`topic ${JSON.stringify(name)}: ${check.missingBytes} bytes that its pages should hold are missing`);
    return count;
  }

  #warn(text: string): void {
    this.#core.logger.warn({ from: this.#from }, text);
  }
}

/** Messages whose ids follow each other go in as one batch. */
function copyAll(draft: Draft, name: string, messages: readonly MilvusMessage[]): void {
  for (let from = 0; from < messages.length;) {
    const firstId = messages[from]?.id ?? 0n;
    let to = from + 1;
    while (to < messages.length && messages[to]?.id === firstId + BigInt(to - from)) to += 1;
    draft.copy(name, messages.slice(from, to), firstId);
    from = to;
  }
}

function alreadyThere(name: string): TidemarkError<"channel-exists"> {
  const text =
    `there is a channel ${JSON.stringify(name)} already: an import that was cut short leaves what it had come to, a valid beginning of each ` +
    "topic that it had begun; remove that queue and import into a new one";
  return new TidemarkError("channel-exists", text, { channel: name });
}

function changedMeanwhile(from: string): TidemarkError<"conflict"> {
  const text = `${from} changed while it was imported: stop Milvus, and import into a new queue`;
  return new TidemarkError("conflict", text, {});
}
