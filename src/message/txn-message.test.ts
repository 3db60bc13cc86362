import { describe, expect, it } from "vitest";
import { hex, unhex, vectorCases, type VectorCase } from "../../test/message/vectors.js";
import { decodeMessage } from "./decode-message.js";
import { encodeMessage, wireSize } from "./encode-message.js";
import { int64MessageId, int64Of } from "./int64-message-id.js";
import type { AnyPlainMessage, PlainMessage, TxnMessage } from "./stored-message.js";
import { assembleTxn } from "./txn-message.js";

interface Part {
  readonly messageId: string;
  readonly payload: string;
  readonly properties: Readonly<Record<string, string>>;
}
interface TxnCase extends VectorCase<{
  readonly error?: boolean;
  readonly txn?: {
    readonly begin: Part;
    readonly bodies: readonly Part[];
    readonly messageId: string;
    readonly timeTick: string;
    readonly lastConfirmed: string;
    readonly estimateSize: number;
    readonly size: number;
    readonly vchannel: string;
  };
}> {
  readonly input?: { readonly begin: Part; readonly bodies: readonly Part[]; readonly commit: Part };
}

const read = ({ payload, properties, messageId }: Part): AnyPlainMessage =>
  decodeMessage({ payload: unhex(payload), properties }, int64MessageId("rocksmq", BigInt(messageId)));
const written = (m: AnyPlainMessage): Part => {
  const { payload, properties } = encodeMessage(m);
  return { payload: hex(payload), properties, messageId: int64Of(m.id).toString() };
};
const only = ({ payload, properties, messageId }: Part): Part => ({ payload, properties, messageId });
const assemble = ({ input }: TxnCase): TxnMessage => {
  if (input === undefined) throw new Error("a case without input");
  const [begin, commit] = [read(input.begin), read(input.commit)];
  return assembleTxn(begin as PlainMessage<"beginTxn">, input.bodies.map(read), commit as PlainMessage<"commitTxn">);
};

const all = ["txn-assembly", "txn-assembly-2.5"].flatMap((file) =>
  vectorCases<TxnCase>(file).map((vector) => ({ ...vector, name: `${file}: ${vector.name}` })),
);
const mixed = /another transaction|before begin/;

describe("a transaction", () => {
  it.each(all.filter(({ name, input }) => input !== undefined && !mixed.test(name)))("is put together as in Milvus: $name", (vector) => {
    const { txn: expected } = vector.meaning;

    const txn = assemble(vector);

    expect(txn).toMatchObject({ kind: "txn", type: "txn", vchannel: expected?.vchannel, timeTick: BigInt(expected?.timeTick ?? 0) });
    expect([txn.id, txn.lastConfirmedMessageId].map((id) => int64Of(id).toString())).toEqual([
      expected?.messageId,
      expected?.lastConfirmed,
    ]);
    expect(txn.messages.map(written)).toEqual(expected?.bodies.map(only));
    // 2.5 leaves the begin's own tick.
    if (!vector.name.includes("2.5")) expect(written(txn.begin)).toEqual(only(expected?.begin ?? written(txn.begin)));
    expect(txn.messages.map((m) => wireSize(encodeMessage(m))).reduce((sum, size) => sum + size, 0)).toBe(expected?.estimateSize);
  });

  it.each(all.filter(({ name }) => mixed.test(name)))("is never mixed, where Milvus does not look: $name", (vector) => {
    expect(() => assemble(vector)).toThrow(expect.objectContaining({ code: "corrupt" }));
  });

  it("begins with a begin and ends with a commit, both with their transaction", () => {
    const [, , , { input }] = vectorCases<TxnCase>("txn-assembly") as readonly [TxnCase, TxnCase, TxnCase, Required<TxnCase>];
    const [begin, commit] = [read(input.begin) as PlainMessage<"beginTxn">, read(input.commit) as PlainMessage<"commitTxn">];
    const { _tx, ...withoutContext } = input.begin.properties;

    expect(_tx).toBeDefined();
    expect(() => void Reflect.apply(assembleTxn, undefined, [commit, [], commit])).toThrow("a commitTxn where a transaction begins");
    expect(() => void Reflect.apply(assembleTxn, undefined, [begin, [], begin])).toThrow("a beginTxn where a transaction is committed");
    const lost = read({ ...input.begin, properties: withoutContext }) as PlainMessage<"beginTxn">;
    expect(() => assembleTxn(lost, [], commit)).toThrow(expect.objectContaining({ details: { file: "message", field: "_tx", offset: 0 } }));
  });
});
