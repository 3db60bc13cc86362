/** What RocksDB can't read, or would open as if less had been written, is told as `corrupt` with the place, at every door that meets it. */
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { importMilvusRocksMq, openRocksMq, type RocksMq } from "../../src/rocksmq/index.js";
import { ManualClock } from "../../src/testing/manual-clock.js";
import { root } from "../layers/imports.js";
import { Told } from "../rocksmq/told.js";
import { databaseHolder } from "./database-holder.js";
import { makeMilvus } from "./made-milvus.js";
import { checksums } from "./milvus-vectors.js";

const homes: string[] = [];
const queues: RocksMq[] = [];
afterEach(async () => {
  for (const mq of queues.splice(0)) await mq.close();
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
});

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), "tidemark-rocksdb-damage-"));
  homes.push(home);
  return home;
}

async function open(dir: string): Promise<RocksMq> {
  const mq = await openRocksMq({ dir, engine: "rocksdb", clock: new ManualClock() });
  queues.push(mq);
  return mq;
}

/** A closed store with a channel of twenty messages, all in table files: the second open put them there. */
async function storeInTables(): Promise<string> {
  const dir = join(newHome(), "queue");
  const mq = await open(dir);
  await mq.createChannel("orders");
  for (let at = 0; at < 20; at++) await mq.produce("orders", [{ payload: Buffer.alloc(1000, at) }]);
  await mq.close();
  await (await open(dir)).close();
  return dir;
}

/** Flips a bit in the first block of the table files that hold this text; returns how many there are. */
function damageTables(dir: string, text: string): number {
  const paths = readdirSync(dir).filter((name) => name.endsWith(".sst"));
  const damaged = paths.map((name) => join(dir, name)).filter((path) => readFileSync(path).includes(text));
  for (const path of damaged) {
    const bytes = readFileSync(path);
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    writeFileSync(path, bytes);
  }
  return damaged.length;
}

const inTable = (dir: string): object => ({
  code: "corrupt",
  details: { file: expect.stringMatching(new RegExp(`^${dir}/\\d{6}\\.sst$`)) as string },
});

async function readAll(mq: RocksMq): Promise<void> {
  for await (const messages of mq.read("orders", { from: "earliest" })) expect(messages.length).toBeGreaterThan(0);
}

describe("a flipped bit in a table file", () => {
  it("is corrupt with the file wherever messages are read, and the store goes on", async () => {
    const dir = await storeInTables();
    expect(damageTables(dir, '"time":')).toBeGreaterThan(0);
    const mq = await open(dir);
    await mq.createConsumerGroup("g");

    await expect(readAll(mq)).rejects.toMatchObject(inTable(dir));
    await expect(mq.consume("g", "orders", 5)).rejects.toMatchObject(inTable(dir));
    await expect(mq.idAt("orders", new ManualClock().nowMs())).rejects.toMatchObject(inTable(dir));

    const { firstId } = await mq.produce("orders", [{ payload: Buffer.from("after") }]);
    for await (const messages of mq.read("orders", { from: firstId })) expect(messages).toHaveLength(1);
  });

  it("of the metadata is corrupt with the file when the store is opened", async () => {
    const dir = await storeInTables();
    expect(damageTables(dir, "orders/begin_id")).toBeGreaterThan(0);

    await expect(open(dir)).rejects.toMatchObject(inTable(dir));
    await expect(open(dir)).rejects.toMatchObject(inTable(dir));
  });

  it.each([
    ["messages", "", "topic/4"],
    ["metadata", "_meta_kv", "topic_id/"],
  ])("of Milvus's %s is corrupt with the original's file, and says what to do", async (_, behind, text) => {
    const from = join(newHome(), "made");
    const rows = { payloads: { "topic/470802421591048193": "x" }, properties: {}, meta: { "topic_id/topic": "1" } };
    makeMilvus(from, rows);
    // What is opened again goes into table files.
    makeMilvus(from, { payloads: {}, properties: {}, meta: {} });
    expect(damageTables(`${from}${behind}`, text)).toBeGreaterThan(0);
    const into = await open(join(newHome(), "queue"));

    await expect(importMilvusRocksMq({ from, into })).rejects.toMatchObject({
      ...inTable(`${from}${behind}`),
      message: expect.stringMatching(/; import from a sound copy/) as string,
    });
  });

  it("no number in what Milvus says of its pages is corrupt with the key", async () => {
    const into = await open(join(newHome(), "queue"));
    for (const wrong of [{ "page_message_size/t/seven": "7" }, { "page_message_size/t/7": "many" }, { "message_size/t": "-" }]) {
      const from = join(newHome(), "made");
      makeMilvus(from, { payloads: {}, properties: {}, meta: { "topic_id/t": "1", ...wrong } });
      const refusal = { code: "corrupt", message: expect.stringContaining(Object.keys(wrong)[0] ?? "") as string };

      await expect(importMilvusRocksMq({ from, into })).rejects.toMatchObject(refusal);
    }
  });
});

const producer = `
  import { openRocksMq } from "tidemark/rocksmq";
  const mq = await openRocksMq({ dir: process.argv[1], engine: "rocksdb" });
  await mq.createChannel("orders", { ifNotExists: true });
  for (let at = 0; at < 20; at++) await mq.produce("orders", [{ payload: Buffer.alloc(1000, at) }]);
  process.kill(process.pid, "SIGKILL");
`;

/** A store whose process was killed, so many times, with twenty messages acked each time. */
function storeOfKilled(times = 1): string {
  const dir = join(newHome(), "queue");
  for (let time = 0; time < times; time++) {
    const args = ["--input-type=module", "--eval", producer, dir];
    const { signal, stderr } = spawnSync(process.execPath, args, { cwd: join(root, "test", "rocksdb"), encoding: "utf8" });
    if (signal !== "SIGKILL") throw new Error(stderr);
  }
  return dir;
}

function filesIn(dir: string, pattern: RegExp): string[] {
  return readdirSync(dir)
    .filter((name) => pattern.test(name))
    .map((name) => join(dir, name));
}

/** Without those of our lock. */
function databaseFiles(dir: string): [string, string][] {
  return Object.entries(checksums(dir)).filter(([name]) => !name.startsWith("lock"));
}

function halve(path: string): void {
  truncateSync(path, Math.floor(readFileSync(path).length / 2));
}

function flip(path: string): void {
  const bytes = readFileSync(path);
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

async function countIn(mq: RocksMq): Promise<number> {
  let count = 0;
  for await (const messages of mq.read("orders", { from: "earliest" })) count += messages.length;
  return count;
}

describe("a store that has less than was synced is corrupt before RocksDB may touch it", () => {
  const damages: readonly [string, RegExp, (path: string) => void][] = [
    ["CURRENT gone", /^CURRENT$/, (path) => rmSync(path)],
    ["its manifest gone", /^MANIFEST/, (path) => rmSync(path)],
    ["half its manifest", /^MANIFEST/, halve],
    ["a flipped bit in its manifest", /^MANIFEST/, flip],
  ];
  const logDamages: readonly [string, RegExp, (path: string) => void][] = [
    ["its log gone", /\.log$/, (path) => rmSync(path)],
    ["half its log", /\.log$/, halve],
    ["a flipped bit in its log", /\.log$/, flip],
    ["its log without the last byte", /\.log$/, (path) => truncateSync(path, readFileSync(path).length - 1)],
  ];

  it.each(damages)("closed, with %s", async (_, pattern, damage) => {
    const dir = await storeInTables();
    filesIn(dir, pattern).forEach(damage);
    const before = databaseFiles(dir);

    await expect(open(dir)).rejects.toMatchObject({
      code: "corrupt",
      details: { file: expect.stringMatching(pattern.source.replace("^", "/")) as string },
    });
    await expect(open(dir)).rejects.toMatchObject({ code: "corrupt" });

    expect(databaseFiles(dir)).toEqual(before);
  });

  it.each([...damages, ...logDamages])("killed, with %s", async (_, pattern, damage) => {
    const dir = storeOfKilled(2);
    filesIn(dir, pattern).forEach(damage);
    const before = databaseFiles(dir);

    await expect(open(dir)).rejects.toMatchObject({ code: "corrupt" });
    await expect(open(dir)).rejects.toMatchObject({ code: "corrupt" });

    expect(databaseFiles(dir)).toEqual(before);
  });

  // Sevens look like a record of a reused log, for which RocksDB would wait for ever.
  it.each([7, 200])("but not when what is broken off was never synced: then it says how many bytes RocksDB drops (%d)", async (byte) => {
    const dir = storeOfKilled(3);
    const [log = ""] = filesIn(dir, /\.log$/);
    appendFileSync(log, Buffer.alloc(1234, byte));

    const mq = await open(dir);

    expect(await new Told(mq).next("recovered")).toMatchObject({ droppedBytes: 1234 });
    expect(await countIn(mq)).toBe(60);
  });

  it("nor when another program has opened the database meanwhile", async () => {
    const dir = await storeInTables();
    const holder = await databaseHolder(dir, ["default", "properties", "meta"]);
    await holder.stop();

    expect(await countIn(await open(dir))).toBe(20);
  });
});
