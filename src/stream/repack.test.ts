import { describe, expect, it } from "vitest";
import { hex, unhex, vectorCases, type VectorCase } from "../../test/message/vectors.js";
import { InsertDataVersion, type TsMsg, marshal, type MsgTypeName, protoUnmarshal, timeTickFrom, tsMsg } from "../message/index.js";
import { bucketsOf, defaultRepack } from "./repack.js";

interface Stored {
  readonly bytes: string;
  readonly type: string;
  readonly hashKeys: readonly number[] | null;
  readonly msgId?: string;
}
interface RepackCase extends VectorCase<{
  readonly channels: number;
  readonly channelIndexes: readonly (readonly number[] | null)[];
  readonly buckets?: Readonly<Record<string, readonly Stored[]>>;
  readonly error?: true;
  readonly panics?: true;
}> {
  readonly input: readonly Stored[];
}

const dispatcher = protoUnmarshal.newUnmarshalDispatcher();

/** A message of a vector, with the hash keys that its bytes do not have. */
function read({ bytes, type, hashKeys }: Stored): TsMsg {
  const name = (type.slice(0, 1).toLowerCase() + type.slice(1)) as MsgTypeName;
  return { ...dispatcher.unmarshal(unhex(bytes), name), hashKeys: hashKeys ?? [] };
}

/** As we write it: the members of a oneof stand elsewhere in Go's bytes. */
function bytesOf(msg: TsMsg): string {
  return hex(marshal(msg).payload);
}

describe("the default repack", () => {
  it.each(vectorCases<RepackCase>("repack"))("does as Milvus does: $name", ({ input, meaning }) => {
    const msgs = input.map(read);
    const repack = defaultRepack(() => msgs[0]?.id ?? 0n);
    const buckets = bucketsOf(msgs, meaning.channels);

    expect(buckets).toEqual(meaning.channelIndexes.map((keys) => keys ?? []));
    if (meaning.error === true || meaning.panics === true) {
      expect(() => repack(msgs, buckets)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
      return;
    }
    const expected = Object.entries(meaning.buckets ?? {}).map(([bucket, stored]) => [
      Number(bucket),
      stored.map((one) => bytesOf(read(one))),
    ]);
    const got = [...repack(msgs, buckets)].map(([bucket, pack]) => [bucket, pack.msgs.map(bytesOf)]);
    expect(new Map(got as [number, string[]][])).toEqual(new Map(expected as [number, string[]][]));
  });

  it("gives every row its own id, timestamp and hash key, and the properties of its insert", () => {
    let next = 100n;
    const insert = tsMsg({
      type: "insert",
      timestamp: timeTickFrom(6n),
      id: 7n,
      hashKeys: [4, 9],
      body: { rowIDs: [1n, 2n], timestamps: [5n, 6n], numRows: 2n, version: 1 },
      properties: { traceparent: "00-1" },
    });

    const packed = defaultRepack(() => next++)([insert], bucketsOf([insert], 2));

    expect(
      [...packed].map(([bucket, { msgs }]) => [
        bucket,
        msgs.map(({ id, endTs, hashKeys, properties }) => [id, endTs, hashKeys, properties]),
      ]),
    ).toEqual([
      [0, [[100n, 5n, [4], { traceparent: "00-1" }]]],
      [1, [[101n, 6n, [9], { traceparent: "00-1" }]]],
    ]);
  });

  it("leaves the only row of an insert the id that it was given, and gives it one where it has none", () => {
    const one = (id: bigint): TsMsg =>
      tsMsg({ type: "insert", timestamp: timeTickFrom(6n), id, hashKeys: [0], body: { rowIDs: [1n], numRows: 1n, version: 1 } });
    const msgs = [one(7n), one(0n), one(7n)];

    const packed = defaultRepack(() => 100n)(msgs, bucketsOf(msgs, 1));

    expect(packed.get(0)?.msgs.map(({ id, body }) => [id, body.base?.msgID])).toEqual([
      [7n, 7n],
      [100n, 100n],
      [7n, 7n],
    ]);
  });

  it("refuses an insert with a column of a kind that only a newer Milvus knows: its rows would lose it", () => {
    const known = tsMsg({
      type: "insert",
      timestamp: timeTickFrom(6n),
      hashKeys: [0],
      body: { rowIDs: [1n], numRows: 1n, version: InsertDataVersion.ColumnBased },
    });
    // fields_data (13): field_name (2) "new", and its values in field 100.
    const payload = Buffer.concat([marshal(known).payload, unhex("6a0b12036e6577a206036e6577")]);
    const newer = { ...dispatcher.unmarshal(payload, "insert"), hashKeys: [0] };

    expect(defaultRepack(() => 1n)([known], [[0]]).get(0)?.msgs).toHaveLength(1);
    expect(() => defaultRepack(() => 1n)([newer], [[0]])).toThrow('values of a kind that this version does not know in field "new"');
  });

  it("refuses a message without a hash key, and names it", () => {
    const msgs = [
      tsMsg({ type: "user", timestamp: timeTickFrom(1n), hashKeys: [0] }),
      tsMsg({ type: "user", timestamp: timeTickFrom(1n) }),
    ];

    expect(() => defaultRepack(() => 0n)(msgs, bucketsOf(msgs, 2))).toThrow(
      expect.objectContaining({ code: "invalid-argument", details: { argument: "msgs[1].hashKeys" } }),
    );
  });
});
