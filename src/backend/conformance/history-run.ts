/**
 * One history: each step is taken on the log and in a model, which is lists of texts; then both are compared.
 */
import assert from "node:assert/strict";
import { isTidemarkError } from "../../base/errors.js";
import type { MessageId } from "../../message/index.js";
import type { LogReader, ReadStart } from "../log-backend.js";
import { parked, type TestLog, textsOf } from "./test-log.js";

/** A start in terms of the model: the number of a record, ever. */
type ModelStart = "earliest" | "latest" | { readonly at: number } | { readonly after: number };

/** What may be done. */
export type Step =
  | { readonly do: "append"; readonly label: string; readonly texts: readonly string[] }
  | { readonly do: "open"; readonly label: string; readonly start: ModelStart; readonly maxRecords: number }
  | { readonly do: "next"; readonly reader: number }
  | { readonly do: "wait"; readonly reader: number; readonly text: string }
  | { readonly do: "trim"; readonly label: string; readonly place: number }
  | { readonly do: "save"; readonly text: string; readonly place: number }
  /** Destroyed and made again. */
  | { readonly do: "again"; readonly label: string }
  | { readonly do: "reopen" };

/** A channel in the model. */
class ModelChannel {
  readonly label: string;
  readonly records: { readonly text: string; readonly id: MessageId }[] = [];
  /** Those before are trimmed. */
  first = 0;
  destroyed = false;
  saved: string | undefined;

  constructor(label: string) {
    this.label = label;
  }

  texts(from: number): string[] {
    return this.records.slice(from).map(({ text }) => text);
  }
}

interface ModelReader {
  readonly channel: ModelChannel;
  readonly reader: LogReader;
  next: number;
}

/** Takes steps, and compares what comes of them. */
export class HistoryRun {
  readonly #t: TestLog;
  readonly #channels = new Map<string, ModelChannel>();
  #readers: ModelReader[] = [];

  constructor(t: TestLog) {
    this.#t = t;
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case "append":
        return this.#append(await this.#channel(step.label), step.texts);
      case "open":
        return this.#open(await this.#channel(step.label), step.start, step.maxRecords);
      case "next":
        return this.#next(this.#reader(step.reader));
      case "wait":
        return this.#wait(this.#reader(step.reader), step.text);
      case "trim":
        return this.#trim(await this.#channel(step.label), step.place);
      case "save":
        return this.#save(step.text, step.place);
      case "again":
        return this.#again(await this.#channel(step.label));
      case "reopen":
        return this.#reopen();
      default:
        step satisfies never;
    }
  }

  /** All that there is, against all that there should be. */
  async compare(): Promise<void> {
    for (const channel of this.#channels.values()) {
      const { label, records, first, saved } = channel;
      assert.deepEqual(await this.#t.texts(label), channel.texts(first));
      assert.equal((await this.#t.earliestId(label))?.toString(), records[first]?.id.toString());
      assert.equal((await this.#t.latestId(label))?.toString(), records.at(-1)?.id.toString());
      assert.deepEqual(await this.#t.load("s", label), saved === undefined ? {} : { [label]: saved });
    }
    for (const { reader } of this.#readers) await reader.close();
  }

  /** Made when it is first asked for. */
  async #channel(label: string): Promise<ModelChannel> {
    const known = this.#channels.get(label);
    if (known !== undefined) return known;
    const made = new ModelChannel(label);
    await this.#t.create(label);
    this.#channels.set(label, made);
    return made;
  }

  #reader(place: number): ModelReader | undefined {
    return this.#readers[place % Math.max(1, this.#readers.length)];
  }

  async #append(channel: ModelChannel, texts: readonly string[]): Promise<void> {
    const ids = await this.#t.append(channel.label, ...texts);
    assert.equal(ids.length, texts.length);
    ids.forEach((id, at) => {
      const before = channel.records.at(-1);
      assert(before === undefined || id.compare(before.id) === 1, `${id.toString()} stands behind ${before?.id.toString()}`);
      channel.records.push({ id, text: texts[at] ?? "" });
    });
  }

  async #open(channel: ModelChannel, start: ModelStart, maxRecords: number): Promise<void> {
    const place = placeOf(channel, start);
    const logStart = startOf(channel, start);
    if (place === undefined || logStart === undefined) return;
    const opening = this.#t.backend.openReader(this.#t.name(channel.label), logStart, { maxRecords });
    if (place < channel.first) return assert.rejects(opening, { code: "position-trimmed" });
    this.#readers.push({ channel, reader: await opening, next: place });
  }

  async #next(one: ModelReader | undefined): Promise<void> {
    if (one === undefined) return;
    const { channel, reader, next } = one;
    if (!channel.destroyed && next >= channel.records.length) return;
    const expected = channel.destroyed ? "channel-not-found" : next < channel.first ? "position-trimmed" : undefined;
    try {
      const texts = textsOf(await reader.next());
      assert(texts.length > 0, "a batch holds at least one record");
      // What a reader has fetched ahead may come, also when it is gone by now; never anything else.
      assert.deepEqual(texts, channel.texts(next).slice(0, texts.length));
      one.next += texts.length;
    } catch (error) {
      if (!isTidemarkError(error)) throw error;
      assert.equal(error.code, expected);
      await this.#drop(one);
    }
  }

  /** Waits at the tail for a record that comes then. */
  async #wait(one: ModelReader | undefined, text: string): Promise<void> {
    if (one === undefined || one.channel.destroyed || one.next < one.channel.records.length) return;
    const next = one.reader.next();
    await parked(one.reader, next);
    await this.#append(one.channel, [text]);
    assert.deepEqual(textsOf(await next), [text]);
    one.next += 1;
  }

  async #trim(channel: ModelChannel, place: number): Promise<void> {
    const record = channel.records[place];
    if (record === undefined) return;
    await this.#t.trim(channel.label, record.id);
    channel.first = Math.max(channel.first, place);
  }

  async #save(text: string, place: number): Promise<void> {
    const channels = [...this.#channels.values()];
    await this.#t.backend.saveResumePoints(
      this.#t.name("s"),
      channels.map(({ label, records }) => ({ channel: this.#t.name(label), position: Buffer.from(text), keepFrom: records[place]?.id })),
    );
    for (const channel of channels) channel.saved = text;
  }

  async #again(channel: ModelChannel): Promise<void> {
    await this.#t.destroy(channel.label);
    channel.destroyed = true;
    this.#channels.delete(channel.label);
    await this.#channel(channel.label);
  }

  async #reopen(): Promise<void> {
    for (const { reader } of this.#readers) await reader.close();
    this.#readers = [];
    this.#t.backend = await this.#t.log.reopen();
  }

  async #drop(one: ModelReader): Promise<void> {
    this.#readers = this.#readers.filter((other) => other !== one);
    await one.reader.close();
  }
}

/** The number of the record that is read first; undefined where there is none to name. */
function placeOf(channel: ModelChannel, start: ModelStart): number | undefined {
  if (start === "earliest") return channel.first;
  if (start === "latest") return channel.records.length;
  const place = "at" in start ? start.at : start.after;
  if (channel.records[place] === undefined) return undefined;
  return "at" in start ? place : place + 1;
}

function startOf(channel: ModelChannel, start: ModelStart): ReadStart | undefined {
  if (typeof start === "string") return start;
  const id = channel.records["at" in start ? start.at : start.after]?.id;
  if (id === undefined) return undefined;
  return "at" in start ? { at: id } : { after: id };
}
