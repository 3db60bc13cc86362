import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { marshal, message, stampMessage, timeTick, tsMsg } from "../../src/message/index.js";
import { openRocksMq } from "../../src/rocksmq/index.js";
import { done, scratchFolder, tidemark } from "./program.js";

const timestamp = timeTick(Date.UTC(2026, 0, 2, 3, 4, 5), 6);
const insert = tsMsg({
  type: "insert",
  timestamp,
  body: {
    shardName: "dml_0_4500v0",
    collectionName: "films",
    collectionID: 4500n,
    partitionName: "_default",
    rowIDs: [1n, 2n],
    numRows: 2n,
    version: 1,
    fieldsData: [
      { fieldName: "pk", field: { case: "scalars", value: { data: { case: "longData", value: { data: [9007199254740993n, -1n] } } } } },
      {
        fieldName: "title",
        field: { case: "scalars", value: { data: { case: "stringData", value: { data: ["Stalker", "Metropolis"] } } } },
      },
      { fieldName: "vec", field: { case: "vectors", value: { dim: 2n, data: { case: "floatVector", value: { data: [0, 0.5, 1, -1] } } } } },
    ],
  },
});
const del = tsMsg({
  type: "delete",
  timestamp,
  body: { collectionName: "films", numRows: 1n, primaryKeys: { idField: { case: "strId", value: { data: ["a"] } } } },
});
const logged = stampMessage(message.flush({ vchannel: "dml_0_4500v0", header: { collectionId: 4500n } }), {
  timeTick: timestamp,
  lastConfirmedMessageId: undefined,
});

describe("messages of Milvus", () => {
  const dir = scratchFolder();
  const lines = (text: string): unknown[] =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
  beforeAll(async () => {
    const mq = await openRocksMq({ dir: join(dir, "queue") });
    await mq.createChannel("dml_0");
    await mq.createChannel("other");
    await mq.produce("dml_0", [marshal(insert), marshal(del), logged]);
    await mq.produce("other", [{ payload: Buffer.from("no message at all") }]);
    await mq.close();
  });

  it("are printed by `consume --format milvus`: type, timestamp, collection, rows, and the columns of an insert", async () => {
    const said = lines(await done(["consume", "dml_0", "--dir", dir, "--format", "milvus"]));

    expect(said).toMatchObject([
      {
        type: "insert",
        timestamp: timestamp.toString(),
        at: "2026-01-02T03:04:05.000Z",
        vchannel: "dml_0_4500v0",
        collection: "films",
        collectionId: "4500",
        partition: "_default",
        rows: "2",
        columns: {
          pk: ["9007199254740993", "-1"],
          title: ["Stalker", "Metropolis"],
          vec: [
            [0, 0.5],
            [1, -1],
          ],
        },
      },
      { type: "delete", collection: "films", rows: "1", primaryKeys: ["a"] },
      { type: "flush", timestamp: timestamp.toString(), vchannel: "dml_0_4500v0" },
    ]);
  });

  it("are printed by `inspect --decode milvus`, of one channel or of all, and what is none says so in its place", async () => {
    const all = lines(await done(["inspect", dir, "--decode", "milvus"]));
    const one = lines(await done(["inspect", dir, "--decode", "milvus", "--channel", "dml_0"]));

    expect(all).toMatchObject(
      [{ channel: "dml_0", type: "insert" }, { type: "delete" }, { type: "flush" }, { channel: "other", error: /./ }].map(
        ({ error, ...rest }) =>
          error === undefined ? rest : { ...rest, payloadBase64: Buffer.from("no message at all").toString("base64") },
      ),
    );
    expect(one).toEqual(all.slice(0, 3));
  });

  it("have no other form", async () => {
    const { code, stderr } = await tidemark(["inspect", dir, "--decode", "kafka"]);

    expect(code).toBe(2);
    expect(stderr).toContain("--decode is milvus");
  });
});
