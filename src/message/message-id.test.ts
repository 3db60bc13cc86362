import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hex, unhex, vectorCases, type VectorCase } from "../../test/message/vectors.js";
import { int64MessageId, int64Of } from "./int64-message-id.js";
import { backendNames, type BackendName } from "./message-id.js";
import { messageIdFromBytes, messageIdFromString } from "./message-id-forms.js";

interface IdMeaning {
  readonly wal: string;
  readonly error?: boolean;
  readonly panics?: boolean;
  readonly eq?: boolean;
  readonly lt?: boolean;
  readonly equal?: boolean;
  readonly lessOrEqual?: boolean;
  readonly marshalledAgain?: string;
  readonly streamingMarshalled?: string;
  readonly bytesAgain?: string;
}
interface IdCase extends VectorCase<IdMeaning> {
  readonly marshalled: string;
  readonly bytes: string;
  readonly a: string;
  readonly b: string;
}

const backendOf: Readonly<Record<string, BackendName>> = {
  rocksmq: "rocksmq",
  kafka: "kafka",
  pulsar: "pulsar",
  woodpecker: "woodpecker",
  walimplstest: "memory",
};
const backend = ({ meaning }: IdCase): BackendName => backendOf[meaning.wal.toLowerCase()] ?? "memory";
const ids = (prefix: string): readonly IdCase[] => vectorCases<IdCase>("message-ids").filter(({ name }) => name.startsWith(`${prefix}/`));
const legacy = (prefix: string): readonly IdCase[] =>
  vectorCases<IdCase>("msg-positions").filter(({ name }) => name.startsWith(`${prefix}/`));

describe("a message id", () => {
  it("has Milvus's text, and comes back from it", () => {
    expect(ids("id").length).toBeGreaterThan(40);
    for (const vector of ids("id"))
      expect(messageIdFromString(backend(vector), vector.marshalled).toString(), vector.name).toBe(vector.marshalled);
  });

  it("has Milvus's bytes, and comes back from them", () => {
    expect(legacy("legacy-id").length).toBe(40);
    for (const vector of legacy("legacy-id")) {
      const id = messageIdFromBytes(backend(vector), unhex(vector.bytes));

      expect(hex(id.toBytes()), vector.name).toBe(vector.bytes);
      expect(id.toString(), vector.name).toBe(vector.meaning.streamingMarshalled);
    }
  });

  it("is ordered as in Milvus", () => {
    expect(ids("order").length).toBeGreaterThan(480);
    for (const vector of ids("order")) {
      const [one, other] = [messageIdFromString(backend(vector), vector.a), messageIdFromString(backend(vector), vector.b)];
      const expected = vector.meaning.eq === true ? 0 : vector.meaning.lt === true ? -1 : 1;

      expect(one.compare(other), vector.name).toBe(expected);
      expect(one.equals(other), vector.name).toBe(expected === 0);
    }
  });

  it("is ordered as Milvus's older code orders its bytes, but that no two of Pulsar are beside each other", () => {
    expect(legacy("legacy-order").length).toBe(485);
    for (const vector of legacy("legacy-order")) {
      const [one, other] = [messageIdFromBytes(backend(vector), unhex(vector.a)), messageIdFromBytes(backend(vector), unhex(vector.b))];
      const { equal, lessOrEqual, wal } = vector.meaning;

      // Pulsar's are compared part by part there, so that of some neither is the lesser: those have an order here.
      if (lessOrEqual === true || wal !== "pulsar") expect(one.compare(other) <= 0, vector.name).toBe(lessOrEqual);
      if (equal === true) expect(one.equals(other), vector.name).toBe(true);
    }
  });

  it("is read from odd texts as Milvus reads them, but with a sign", () => {
    // Milvus reads integers without a sign: it refuses what it wrote itself, and takes 2^64 - 1 for -1.
    const signed: Readonly<Record<string, string | undefined>> = { "-2": "-2", "3w5e11264sgsf": undefined };
    for (const vector of ids("decode")) {
      const int64 = backend(vector) === "rocksmq" || backend(vector) === "kafka";
      const read = (): string => messageIdFromString(backend(vector), vector.marshalled).toString();
      const expected = int64 && vector.marshalled in signed ? signed[vector.marshalled] : vector.meaning.marshalledAgain;

      if (expected === undefined) expect(read, vector.name).toThrow(expect.objectContaining({ code: "invalid-argument" }));
      else expect(read(), vector.name).toBe(expected);
    }
  });

  it("is read from odd bytes as Milvus reads them, with an error where that panics", () => {
    for (const vector of legacy("legacy-decode")) {
      const read = (): string => hex(messageIdFromBytes(backend(vector), unhex(vector.bytes)).toBytes());

      if (vector.meaning.bytesAgain === undefined) expect(read, vector.name).toThrow(expect.objectContaining({ code: "invalid-argument" }));
      else expect(read(), vector.name).toBe(vector.meaning.bytesAgain);
    }
  });

  it("never compares with one of another back-end", () => {
    const [memory, rocksmq] = [int64MessageId("memory", 1n), int64MessageId("rocksmq", 1n)];

    expect(() => memory.compare(rocksmq)).toThrow(expect.objectContaining({ code: "backend-mismatch" }));
    expect(() => rocksmq.equals(memory)).toThrow(expect.objectContaining({ code: "backend-mismatch" }));
  });

  it("orders as its number does, and round-trips in both forms and in JSON", () => {
    const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

    fc.assert(
      fc.property(fc.constantFrom("memory", "rocksmq", "kafka"), int64, int64, (name, one, other) => {
        const id = int64MessageId(name, one);

        expect(id.compare(int64MessageId(name, other))).toBe(one < other ? -1 : one > other ? 1 : 0);
        expect(int64Of(messageIdFromString(name, id.toString()))).toBe(one);
        expect(int64Of(messageIdFromBytes(name, id.toBytes()))).toBe(one);
        expect(JSON.parse(JSON.stringify(id))).toEqual({ backend: name, id: id.toString() });
      }),
    );
  });

  it("comes of any bytes and any text, or a typed error does", () => {
    fc.assert(
      fc.property(fc.constantFrom(...backendNames), fc.uint8Array({ maxLength: 40 }), fc.string(), (name, bytes, text) => {
        for (const read of [() => messageIdFromBytes(name, bytes), () => messageIdFromString(name, text)]) {
          try {
            const id = read();

            expect(messageIdFromBytes(name, id.toBytes()).compare(id)).toBe(0);
            expect(messageIdFromString(name, id.toString()).compare(id)).toBe(0);
          } catch (error) {
            expect(error).toMatchObject({ code: "invalid-argument" });
          }
        }
      }),
    );
  });

  it("is refused for a back-end that is none", () => {
    expect(() => void Reflect.apply(messageIdFromString, undefined, ["nats", "1"])).toThrow('backend must be one of "memory"');
  });
});
