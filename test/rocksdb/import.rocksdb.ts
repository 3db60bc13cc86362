/** Directories that a real Milvus wrote become channels, message for message. */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Logger } from "../../src/base/logger.js";
import { type ConsumerMessage, importMilvusRocksMq, openRocksMq, type RocksMq } from "../../src/rocksmq/index.js";
import { ManualClock } from "../../src/testing/manual-clock.js";
import { databaseHolder } from "./database-holder.js";
import { makeMilvus } from "./made-milvus.js";
import { checksums, type Expected, milvusVectors, type MilvusVector, payloadHash, unpack } from "./milvus-vectors.js";

const homes: string[] = [];
const queues: RocksMq[] = [];
afterEach(async () => {
  for (const mq of queues.splice(0)) await mq.close();
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
});

interface Unpacked {
  readonly home: string;
  readonly from: string;
  readonly mq: RocksMq;
  /** What the queue's logger was warned of. */
  readonly warnings: string[];
}

async function unpacked(vector: MilvusVector, engine: "segment" | "rocksdb" = "segment"): Promise<Unpacked> {
  const { home, from } = unpack(vector);
  homes.push(home);
  const warnings: string[] = [];
  const nothing = (): void => undefined;
  const logger: Logger = { debug: nothing, info: nothing, warn: (_, text) => warnings.push(text), error: nothing };
  mkdirSync(join(home, "ours"));
  const mq = await openRocksMq({ dir: join(home, "ours", "queue"), engine, logger });
  queues.push(mq);
  return { home, from, mq, warnings };
}

async function allOf(mq: RocksMq, channel: string): Promise<ConsumerMessage[]> {
  const all: ConsumerMessage[] = [];
  for await (const messages of mq.read(channel, { from: "earliest" })) all.push(...messages);
  return all;
}

/** What a channel holds, in the words of the content files. */
async function contentOf(mq: RocksMq, channel: string): Promise<Expected[]> {
  return (await allOf(mq, channel)).map(({ id, payload }) => ({ id, hash: payloadHash(payload) }));
}

function vector(archive: string): MilvusVector {
  const found = milvusVectors.find((one) => one.archive === archive);
  if (found === undefined) throw new Error(`there is no archive ${archive}`);
  return found;
}

function originals({ from }: Unpacked): Record<string, string>[] {
  return [checksums(from), checksums(`${from}_meta_kv`)];
}

describe.each(milvusVectors)("$archive", (one) => {
  it.each(["segment", "rocksdb"] as const)("comes in with every message, and stays as it was: into the %s engine", async (engine) => {
    const setting = await unpacked(one, engine);
    const before = originals(setting);
    const content = one.content();
    const messages = [...content.values()].reduce((sum, rows) => sum + rows.length, 0);

    const imported = await importMilvusRocksMq({ from: setting.from, into: setting.mq });

    expect(imported).toEqual({ topics: one.topics, messages });
    expect(setting.warnings).toEqual([]);
    expect(originals(setting)).toEqual(before);
    const channels = await setting.mq.channels();
    expect(channels).toHaveLength(one.topics);
    for (const channel of channels) expect(await contentOf(setting.mq, channel)).toEqual(content.get(channel) ?? []);
    expect(readdirSync(join(setting.home, "ours"))).toEqual(["queue"]);
  });
});

describe("an import", () => {
  it("can be of some topics, tells how far it is, and is a queue like any other afterwards", async () => {
    const { from, mq } = await unpacked(vector("rocksmq-rocksdb6.17.3-c"));
    const told: string[] = [];

    const imported = await importMilvusRocksMq({
      from: `${from}/`,
      into: mq,
      topics: ["raw", "empty"],
      onProgress: ({ topic, messages }) => told.push(`${topic} ${messages}`),
    });

    expect(imported).toEqual({ topics: 2, messages: 27 });
    expect(told).toEqual(["raw 0", "raw 27", "empty 0"]);
    const latest = (await mq.latestId("raw")) ?? 0n;
    expect((await mq.produce("raw", [{ payload: Buffer.from("ours") }])).firstId).toBe(latest + 1n);
    await mq.createConsumerGroup("g");
    expect(await mq.consume("g", "raw", 100)).toHaveLength(28);
  });

  it("refuses a topic that is not there, a channel that is, and what is no RocksMQ directory; nothing is made", async () => {
    const { from, mq, home } = await unpacked(vector("rocksmq-rocksdb7.8.3-a"));
    await mq.createChannel("raw");

    await expect(importMilvusRocksMq({ from, into: mq, topics: ["nowhere"] })).rejects.toMatchObject({
      code: "invalid-argument",
      details: { argument: "topics" },
      message: expect.stringContaining('"by-dev-rootcoord-dml_0"') as string,
    });
    await expect(importMilvusRocksMq({ from, into: mq })).rejects.toMatchObject({ code: "channel-exists" });
    const foreign = { code: "invalid-argument", details: { argument: "from" } };
    await expect(importMilvusRocksMq({ from: join(home, "nowhere"), into: mq })).rejects.toMatchObject(foreign);
    await expect(importMilvusRocksMq({ from: home, into: mq })).rejects.toMatchObject(foreign);
    await expect(importMilvusRocksMq({ from: join(from, "CURRENT"), into: mq })).rejects.toMatchObject(foreign);
    rmSync(`${from}_meta_kv`, { recursive: true });
    await expect(importMilvusRocksMq({ from, into: mq })).rejects.toMatchObject(foreign);

    expect(await mq.channels()).toEqual(["raw"]);
    expect(readdirSync(join(home, "ours"))).toEqual(["queue"]);
  });

  it("refuses a directory that a process has open, and takes it once that has stopped", async () => {
    const { from, mq } = await unpacked(vector("rocksmq-rocksdb6.17.3-c"));
    cpSync(from, `${from}-used`, { recursive: true });
    cpSync(`${from}_meta_kv`, `${from}-used_meta_kv`, { recursive: true });
    const holder = await databaseHolder(`${from}-used`);

    try {
      await expect(importMilvusRocksMq({ from: `${from}-used`, into: mq })).rejects.toMatchObject({ code: "locked" });
    } finally {
      await holder.stop();
    }

    expect(await importMilvusRocksMq({ from: `${from}-used`, into: mq })).toMatchObject({ topics: 6 });
  });

  it.each([0.9, 0.5, 0.1])(
    "of a log that was cut at %d of its length gives the valid beginning, and says what is missing",
    async (share) => {
      const one = vector("rocksmq-rocksdb7.8.3-a");
      const { from, mq, warnings } = await unpacked(one);
      const log = join(from, "000004.log");
      truncateSync(log, Math.floor(readFileSync(log).length * share));

      const { messages } = await importMilvusRocksMq({ from, into: mq });

      const all = [...one.content()];
      expect(messages).toBeLessThan(187);
      expect(warnings[0]).toContain("000004.log ends in the middle of a record");
      expect(warnings.filter((text) => text.includes("bytes that its pages should hold are missing")).length).toBeGreaterThan(0);
      for (const [topic, rows] of all) {
        const found = await contentOf(mq, topic);
        expect(found).toEqual(rows.slice(0, found.length));
      }
    },
  );

  it("follows symbolic links to files that stand elsewhere", async () => {
    const one = vector("rocksmq-kill9");
    const setting = await unpacked(one);
    const elsewhere = join(setting.home, "elsewhere");
    mkdirSync(elsewhere);
    const names = readdirSync(setting.from).filter((name) => /\.(log|sst)$|^LOCK$|^CURRENT$/.test(name));
    for (const name of names) {
      renameSync(join(setting.from, name), join(elsewhere, name));
      symlinkSync(`../elsewhere/${name}`, join(setting.from, name));
    }
    const before = [checksums(elsewhere), readdirSync(setting.from)];

    const { messages } = await importMilvusRocksMq({ from: setting.from, into: setting.mq });

    expect(messages).toBe([...one.content().values()].reduce((sum, rows) => sum + rows.length, 0));
    expect(setting.warnings).toEqual([]);
    expect([checksums(elsewhere), readdirSync(setting.from)]).toEqual(before);
  });

  it("of a log with a damaged byte says so too, and gives what stands before it", async () => {
    const { from, mq, warnings } = await unpacked(vector("rocksmq-kill9"));
    const log = join(from, "000005.log");
    const bytes = readFileSync(log);
    bytes[400_000] = (bytes[400_000] ?? 0) ^ 1;
    writeFileSync(log, bytes);

    const { messages } = await importMilvusRocksMq({ from, into: mq });

    expect(messages).toBeGreaterThan(0);
    expect(messages).toBeLessThan(1469);
    expect(warnings[0]).toContain("000005.log ends in the middle of a record");
  });

  it("of a directory whose table file is gone or damaged is refused with the file", async () => {
    const gone = await unpacked(vector("rocksmq-rocksdb6.17.3-c"));
    rmSync(join(gone.from, "000010.sst"));
    const damaged = await unpacked(vector("rocksmq-rocksdb6.17.3-c"));
    writeFileSync(join(damaged.from, "000010.sst"), Buffer.alloc(8654, 7));

    for (const { from, mq } of [gone, damaged]) {
      const refusal = { code: "corrupt", details: { file: expect.stringContaining("000010.sst") as string } };
      await expect(importMilvusRocksMq({ from, into: mq })).rejects.toMatchObject(refusal);
      expect(await mq.channels()).toEqual([]);
    }
  });

  it("ends with the queue: at the next batch, with what it had come to, a valid beginning", async () => {
    const home = mkdtempSync(join(tmpdir(), "tidemark-milvus-"));
    homes.push(home);
    const from = join(home, "rdb_data");
    const first = 470_802_421_591_048_193n;
    const payloads = ["s", "t"].flatMap((topic) =>
      Array.from({ length: 60 }, (_, at): [string, string] => [`${topic}/${first + BigInt(at)}`, `${at}`.padEnd(100_000)]),
    );
    const meta = { "topic_id/s": "1700000000", "topic_id/t": "1700000000" };
    makeMilvus(from, { payloads: Object.fromEntries(payloads), properties: {}, meta });
    mkdirSync(join(home, "ours"));
    const mq = await openRocksMq({ dir: join(home, "ours", "queue") });
    queues.push(mq);
    const told: number[] = [];
    let closing: Promise<void> | undefined;

    const imported = importMilvusRocksMq({
      from,
      into: mq,
      onProgress: ({ messages }) => {
        told.push(messages);
        if (messages > 0) closing ??= mq.close();
      },
    });

    await expect(imported).rejects.toMatchObject({ code: "closed" });
    await closing;
    expect(told).toHaveLength(2);
    expect(readdirSync(join(home, "ours"))).toEqual(["queue"]);
    const again = await openRocksMq({ dir: join(home, "ours", "queue") });
    queues.push(again);
    expect(await again.channels()).toEqual(["s"]);
    const texts = (await allOf(again, "s")).map(({ payload }) => Buffer.from(payload).toString().trim());
    expect(texts).toEqual(Array.from({ length: told[1] ?? 0 }, (_, at) => `${at}`));
  });

  it("of a store with keys that are no message's says so, whatever their bytes, and imports the rest", async () => {
    const home = mkdtempSync(join(tmpdir(), "tidemark-stray-"));
    homes.push(home);
    const from = join(home, "made");
    const strange = ["tt", "t", "t0", "a", "zz", "properties", "\u{10ffff}"].map((key) => Buffer.from(key).toString("hex"));
    makeMilvus(from, {
      payloads: { "t/470802421591048193": "ours" },
      properties: {},
      meta: { "topic_id/t": "1700000000" },
      strange: [...strange, "00", "80", "f328", "f4908080", "ff", "2f78"],
    });
    const warnings: string[] = [];
    const nothing = (): void => undefined;
    const logger: Logger = { debug: nothing, info: nothing, warn: (_, text) => warnings.push(text), error: nothing };
    const mq = await openRocksMq({ dir: join(home, "queue"), logger });
    queues.push(mq);

    expect(await importMilvusRocksMq({ from, into: mq })).toEqual({ topics: 1, messages: 1 });

    expect(warnings).toEqual([
      'the metadata does not know topic "": its messages are left out',
      '12 keys are no message\'s and left out, the first is "\\u0000"',
    ]);
  });

  it("whose ids may have been given out here already is refused", async () => {
    const { from, home } = await unpacked(vector("rocksmq-rocksdb7.8.3-a"));
    const clock = new ManualClock();
    clock.setNowMs(Date.UTC(2030, 0));
    const mq = await openRocksMq({ dir: join(home, "later"), clock });
    queues.push(mq);
    await mq.createChannel("gone");
    await mq.destroyChannel("gone");

    const imported = importMilvusRocksMq({ from, into: mq, topics: ["raw"] });

    await expect(imported).rejects.toMatchObject({ code: "invalid-argument", message: expect.stringContaining("a new store") as string });
  });

  it.each(["segment", "rocksdb"] as const)(
    "keeps the properties that a Milvus put beside its payloads: into the %s engine",
    async (engine) => {
      const home = mkdtempSync(join(tmpdir(), "tidemark-milvus-"));
      homes.push(home);
      const from = join(home, "rdb_data");
      const first = 470_802_421_591_048_193n;
      const texts: Record<string, string>[] = Array.from({ length: 2500 }, (_, at) =>
        at % 3 === 0 ? { at: `${at}`, "ü/\u0000": "😀" } : {},
      );
      texts[3] = JSON.parse('{"__proto__":"a key","constructor":""}') as Record<string, string>;
      const keyOf = (topic: string, at: number): string => `${topic}/${first + BigInt(at)}`;
      const all = texts.map((_, at): [string, string] => [keyOf("t", at), `payload ${at}`]);
      const withSome = texts.flatMap((some, at): [string, string][] => (at % 3 === 0 ? [[keyOf("t", at), JSON.stringify(some)]] : []));
      makeMilvus(from, {
        payloads: { ...Object.fromEntries(all), [keyOf("t0", 0)]: "beside", [keyOf("s", 0)]: "none" },
        // One that is null, as JSON has a map that is none; and a neighbour's, whose name goes on.
        properties: { ...Object.fromEntries(withSome), [keyOf("t", 1)]: "null", [keyOf("t0", 0)]: '{"whose":"t0"}' },
        meta: { "topic_id/t": "1700000000", "topic_id/t0": "1700000000", "topic_id/s": "1700000000" },
      });
      const mq = await openRocksMq({ dir: join(home, "queue"), engine, retention: { bytes: 1, ageMs: 1 } });
      queues.push(mq);
      const before = [checksums(from), checksums(`${from}_meta_kv`)];

      expect(await importMilvusRocksMq({ from, into: mq })).toEqual({ topics: 3, messages: 2502 });
      expect((await mq.describeChannel("t")).retention).toEqual({});

      const rowsOf = async (channel: string): Promise<[bigint, string, [string, string][]][]> =>
        (await allOf(mq, channel)).map(({ id, payload, properties }) => [id, Buffer.from(payload).toString(), Object.entries(properties)]);
      expect(await rowsOf("t")).toEqual(texts.map((some, at) => [first + BigInt(at), `payload ${at}`, Object.entries(some)]));
      expect(await rowsOf("t0")).toEqual([[first, "beside", [["whose", "t0"]]]]);
      expect(await rowsOf("s")).toEqual([[first, "none", []]]);
      expect([checksums(from), checksums(`${from}_meta_kv`)]).toEqual(before);
    },
  );
});
