/** What the RocksDB engine owes beyond the conformance suite: its keys, its directory, its refusals. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openRocksMq, type RocksMq } from "../../src/rocksmq/index.js";
import type { Peer } from "../../src/storage/rocksdb/peer.js";
import { ManualClock } from "../../src/testing/manual-clock.js";
import { begunAt, Told } from "../rocksmq/told.js";
import { databaseHolder } from "./database-holder.js";

const homes: string[] = [];
const queues: RocksMq[] = [];
afterEach(async () => {
  for (const mq of queues.splice(0)) await mq.close();
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
});

function newDirectory(): string {
  const home = mkdtempSync(join(tmpdir(), "tidemark-rocksdb-engine-"));
  homes.push(home);
  return join(home, "queue");
}

async function open(dir: string): Promise<RocksMq> {
  const mq = await openRocksMq({ dir, engine: "rocksdb", clock: new ManualClock() });
  queues.push(mq);
  return mq;
}

const families = ["default", "properties", "meta"] as const;

/** All rows of a closed store, through the bare peer. */
async function rowsOf(dir: string): Promise<Record<(typeof families)[number], [string, string][]>> {
  const { RocksLevel } = createRequire(import.meta.url)("@nxtedition/rocksdb") as Peer;
  const database = new RocksLevel(dir, {});
  await database.open({ columns: { default: {}, properties: {}, meta: {} }, createIfMissing: false, walCompression: false });
  const read = async (family: string): Promise<[string, string][]> => {
    const column = database.columns[family] ?? {};
    const iterator = database.iterator({ gte: "", lt: "\u{10ffff}", column, keyEncoding: "utf8", valueEncoding: "utf8" });
    const { rows } = await iterator._nextvAsync(100_000);
    iterator._closeSync();
    return Array.from({ length: rows.length / 2 }, (_, at) => [String(rows[2 * at]), String(rows[2 * at + 1])]);
  };
  const [payloads, properties, meta] = await Promise.all(families.map(read));
  await database.close();
  return { default: payloads ?? [], properties: properties ?? [], meta: meta ?? [] };
}

describe("the rows of a store", () => {
  it("are the seed's, key for key: payloads, times and properties, begin, end and cursors", async () => {
    const dir = newDirectory();
    const mq = await open(dir);
    await mq.createChannel("orders");
    await mq.createConsumerGroup("billing");
    const { firstId } = await mq.produce("orders", [{ payload: Buffer.from("a"), properties: { k: "v" } }, { payload: Buffer.of() }]);
    await mq.produce("orders", [{ payload: Buffer.from("c") }]);
    await mq.consume("billing", "orders", 1);
    await mq.close();

    const rows = await rowsOf(dir);

    const ids = [firstId, firstId + 1n, firstId + 2n];
    const time = new ManualClock().nowMs();
    expect(rows.default).toEqual([
      [`orders/${ids[0]}`, "a"],
      [`orders/${ids[1]}`, ""],
      [`orders/${ids[2]}`, "c"],
    ]);
    expect(rows.properties.map(([key, row]): [string, unknown] => [key, JSON.parse(row)])).toEqual([
      [`orders/${ids[0]}`, { time, properties: { k: "v" } }],
      [`orders/${ids[1]}`, { time, properties: {} }],
      [`orders/${ids[2]}`, { time, properties: {} }],
    ]);
    expect(
      rows.meta.filter(([key]) => !key.startsWith("\0")).map(([key, value]) => [key, value.startsWith("{") ? "a record" : value]),
    ).toEqual([
      ["billing/orders/current_id", String(ids[1])],
      ["channels/orders", "a record"],
      ["groups/billing", "a record"],
      ["orders/begin_id", String(ids[0])],
      ["orders/end_id", String(firstId + 3n)],
    ]);
  });

  it("go with what is trimmed and destroyed; nothing of it stays", async () => {
    const dir = newDirectory();
    const mq = await open(dir);
    await mq.createChannel("kept");
    await mq.createChannel("gone");
    for (const channel of ["kept", "gone"])
      await mq.produce(
        channel,
        Array.from({ length: 50 }, () => ({ payload: Buffer.from("x") })),
      );
    const { endId } = await mq.describeChannel("kept");
    await mq.trim("kept", endId);
    await mq.destroyChannel("gone");
    await mq.close();

    const rows = await rowsOf(dir);

    expect([rows.default, rows.properties]).toEqual([[], []]);
    expect(rows.meta.filter(([key]) => key.includes("gone") && !key.includes("doomed"))).toEqual([]);
  });

  it("that an end of the process left to be deleted are deleted by the next open", async () => {
    const dir = newDirectory();
    const mq = await open(dir);
    await mq.createChannel("gone");
    await mq.produce("gone", [{ payload: Buffer.from("x") }]);
    await mq.close();
    const { RocksLevel } = createRequire(import.meta.url)("@nxtedition/rocksdb") as Peer;
    const database = new RocksLevel(dir, {});
    await database.open({ columns: { default: {}, properties: {}, meta: {} }, createIfMissing: false, walCompression: false });
    const batch = database._chainedBatch();
    const note = JSON.stringify({ channel: "old", fromId: "100000000000000000", toId: "100000000000000009" });
    batch._put(Buffer.from("\0doomed/7"), Buffer.from(note), { column: database.columns["meta"] ?? {} });
    batch._put(Buffer.from("old/100000000000000005"), Buffer.from("left over"), undefined);
    batch._writeSync({ sync: true });
    await database.close();

    await (await open(dir)).close();

    expect((await rowsOf(dir)).default.map(([key]) => key.split("/")[0])).toEqual(["gone"]);
  });
});

describe("a directory", () => {
  it("of the other engine is refused by either, and left as it was", async () => {
    const segments = newDirectory();
    const rocks = newDirectory();
    await (await openRocksMq({ dir: segments })).close();
    await (await open(rocks)).close();
    const before = [readdirSync(segments), readdirSync(rocks)];
    const refusal = { code: "invalid-argument", details: { argument: "dir" } };

    await expect(openRocksMq({ dir: segments, engine: "rocksdb" })).rejects.toMatchObject(refusal);
    await expect(openRocksMq({ dir: rocks })).rejects.toMatchObject(refusal);

    expect([readdirSync(segments), readdirSync(rocks)]).toEqual(before);
  });

  it("that holds somebody else's database is refused, and left as it was", async () => {
    const dir = newDirectory();
    mkdirSync(dir);
    for (const name of ["CURRENT", "MANIFEST-000004"]) writeFileSync(join(dir, name), "");

    await expect(openRocksMq({ dir, engine: "rocksdb" })).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining("importMilvusRocksMq") as string,
    });

    expect(readdirSync(dir)).toEqual(["CURRENT", "MANIFEST-000004"]);
  });

  it("of a newer format is refused with both numbers", async () => {
    const dir = newDirectory();
    await (await open(dir)).close();
    writeFileSync(join(dir, "tidemark-rocksdb"), '{"format":2}');

    await expect(openRocksMq({ dir, engine: "rocksdb" })).rejects.toMatchObject({ code: "unsupported-format" });
  });

  it("that is open is locked, for this process too, with the pid that holds it", async () => {
    const dir = newDirectory();
    await open(dir);

    await expect(openRocksMq({ dir, engine: "rocksdb" })).rejects.toMatchObject({ code: "locked", details: { pid: process.pid } });
  });

  it("whose database another program has open can't be opened, and can once that has let go", async () => {
    const dir = newDirectory();
    await (await open(dir)).close();
    const holder = await databaseHolder(dir, ["default", "properties", "meta"]);

    try {
      await expect(openRocksMq({ dir, engine: "rocksdb" })).rejects.toMatchObject({ code: "locked" });
    } finally {
      await holder.stop();
    }

    await open(dir);
  });

  it("whose manifest is damaged is corrupt", async () => {
    const dir = newDirectory();
    await (await open(dir)).close();
    const manifest = readdirSync(dir).find((name) => name.startsWith("MANIFEST")) ?? "";
    writeFileSync(join(dir, manifest), Buffer.alloc(500, 1));

    await expect(openRocksMq({ dir, engine: "rocksdb" })).rejects.toMatchObject({ code: "corrupt" });
  });
});

describe("ids", () => {
  it("from outside below 10^17 are refused, and nothing is stored", async () => {
    const alloc = (count: number): Promise<[bigint, bigint]> => Promise.resolve([5n, 5n + BigInt(count)]);
    const mq = await openRocksMq({
      dir: newDirectory(),
      engine: "rocksdb",
      ids: { alloc, allocOne: () => Promise.resolve(5n), updateId: () => Promise.resolve() },
    });
    queues.push(mq);
    await mq.createChannel("c");

    await expect(mq.produce("c", [{ payload: Buffer.from("x") }])).rejects.toMatchObject({ code: "invalid-argument" });

    expect(await mq.latestId("c")).toBeUndefined();
  });
});

describe("retention by age", () => {
  it("finds what is dated ahead of the clock behind a message of a right date in the same page", async () => {
    const [clock, ageMs, yearMs] = [new ManualClock(), 600_000, 365 * 24 * 3_600_000];
    const mq = await openRocksMq({ dir: newDirectory(), engine: "rocksdb", clock, retention: { ageMs } });
    queues.push(mq);
    const events = new Told(mq);
    await mq.createChannel("c");
    await mq.produce("c", [{ payload: Buffer.from("right") }]);
    clock.setNowMs(clock.nowMs() + yearMs);
    const ahead = await mq.produce("c", [{ payload: Buffer.from("ahead") }]);
    clock.setNowMs(clock.nowMs() - yearMs);

    await clock.advance(ageMs);
    await begunAt(events, ahead.firstId);
    const later = await mq.produce("c", [{ payload: Buffer.from("later") }]);
    await clock.advance(ageMs);
    await begunAt(events, later.firstId);

    expect((await mq.describeChannel("c")).messages).toBe(1n);
  });
});
