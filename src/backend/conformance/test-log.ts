/**
 * A log in a test's hands: short words for what the laws do over and over.
 */
import { onTestFinished } from "vitest";
import type { MessageId, WireMessage } from "../../message/index.js";
import type { LogBackend, LogReader, LogRecord, ReadStart } from "../log-backend.js";
import type { ExemptibleLaw } from "../manifest.js";
import type { BackendUnderTest, LogUnderTest } from "./backend-under-test.js";

/** Opens a log of its own; it ends with the test. */
export async function openLog(under: BackendUnderTest): Promise<TestLog> {
  const log = await under.open();
  onTestFinished(() => log.end());
  return new TestLog(log);
}

/** Registers laws, unless the back-end's manifest says that it can't keep them. */
export function whereKept(under: BackendUnderTest, law: ExemptibleLaw, register: () => void): void {
  if (under.manifest.exempt[law] === undefined) register();
}

/** The log, and what one does with it. Channels go by their labels. */
export class TestLog {
  readonly log: LogUnderTest;
  /** The client that is asked. */
  backend: LogBackend;

  constructor(log: LogUnderTest) {
    this.log = log;
    this.backend = log.backend;
  }

  name(label: string): string {
    return this.log.nameOf(label);
  }

  async create(...labels: string[]): Promise<void> {
    for (const label of labels) await this.backend.createChannel(this.name(label));
  }

  destroy(label: string): Promise<void> {
    return this.backend.destroyChannel(this.name(label));
  }

  /** Appends one group. */
  async append(label: string, ...texts: string[]): Promise<readonly MessageId[]> {
    const writer = await this.backend.openWriter(this.name(label));
    try {
      return await writer.append(texts.map(record));
    } finally {
      await writer.close();
    }
  }

  async read(label: string, start: ReadStart): Promise<LogReader> {
    const reader = await this.backend.openReader(this.name(label), start);
    onTestFinished(() => reader.close());
    return reader;
  }

  /** All that there is from the start on. */
  async records(label: string, start: ReadStart = "earliest"): Promise<LogRecord[]> {
    const latest = await this.backend.latestId(this.name(label));
    const reader = await this.backend.openReader(this.name(label), start);
    const all: LogRecord[] = [];
    try {
      if (latest === undefined || (typeof start === "object" && "after" in start && start.after.compare(latest) >= 0)) return all;
      while (all.at(-1)?.id.equals(latest) !== true) all.push(...(await some(reader)));
      return all;
    } finally {
      await reader.close();
    }
  }

  async texts(label: string, start?: ReadStart): Promise<string[]> {
    return textsOf(await this.records(label, start));
  }

  earliestId(label: string): Promise<MessageId | undefined> {
    return this.backend.earliestId(this.name(label));
  }

  latestId(label: string): Promise<MessageId | undefined> {
    return this.backend.latestId(this.name(label));
  }

  trim(label: string, before: MessageId): Promise<void> {
    return this.backend.trim(this.name(label), before);
  }

  /** Keeps a text as the position of each channel. */
  save(name: string, texts: Readonly<Record<string, string>>, keepFrom?: MessageId): Promise<void> {
    const points = Object.entries(texts).map(([label, text]) => ({ channel: this.name(label), position: Buffer.from(text), keepFrom }));
    return this.backend.saveResumePoints(this.name(name), points);
  }

  /** The kept texts, by label. */
  async load(name: string, ...labels: string[]): Promise<Record<string, string>> {
    const kept = await this.backend.loadResumePoints(
      this.name(name),
      labels.map((label) => this.name(label)),
    );
    return Object.fromEntries(
      labels.flatMap((label) => {
        const position = kept.get(this.name(label));
        return position === undefined ? [] : [[label, Buffer.from(position).toString()]];
      }),
    );
  }
}

/** A record whose payload is `text`. */
export function record(text: string): WireMessage {
  return { payload: Buffer.from(text), properties: {} };
}

/** The payloads as texts. */
export function textsOf(records: readonly LogRecord[] | undefined): string[] {
  return (records ?? []).map(({ payload }) => Buffer.from(payload).toString());
}

/** The next `count` texts of a reader, however they are cut into batches. */
export async function take(reader: LogReader, count: number): Promise<string[]> {
  const texts: string[] = [];
  while (texts.length < count) texts.push(...textsOf(await some(reader)));
  return texts;
}

/** The next batch, which must be there. */
async function some(reader: LogReader): Promise<readonly LogRecord[]> {
  const records = await reader.next();
  if (records === undefined || records.length === 0) throw new Error("the reader gave no records");
  return records;
}

/** Texts `<prefix>0`, `<prefix>1`, …. */
export function numbered(count: number, prefix = "r"): string[] {
  return Array.from({ length: count }, (_, at) => `${prefix}${at}`);
}

/** The item at that place, which must be there. */
export function at<T>(items: readonly T[], place: number): T {
  const item = items.at(place);
  if (item === undefined) throw new Error(`there is no item ${place} among ${items.length}`);
  return item;
}

/** Lets so many other turns of the microtask queue go first: to do something at each moment of something else. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await Promise.resolve();
}

/** Resolves once this `next` waits at the tail. @throws when it is over before */
export async function parked(reader: LogReader, next: Promise<unknown>): Promise<void> {
  let over = false;
  next.then(
    () => (over = true),
    () => (over = true),
  );
  while (!reader.atTail) {
    if (over) throw new Error("the next() that should wait at the tail has settled");
    await new Promise((resolve) => setImmediate(resolve));
  }
}
