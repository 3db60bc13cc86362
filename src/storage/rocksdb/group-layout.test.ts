import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { layOut, type Operation, perform, sizeOf } from "./group-layout.js";

/** What a target was asked for, as texts. */
function performed(bytes: Buffer): string[][] {
  const done: string[][] = [];
  const note = (...parts: (string | Uint8Array)[]): void => void done.push(parts.map((part) => Buffer.from(part).toString()));
  perform(bytes, {
    message: (key, payload, row) => note("message", key, payload, row),
    put: (key, value) => note("put", key, value),
    delete: (key) => note("delete", key),
  });
  return done;
}

function laidOut(operations: readonly Operation[]): Buffer {
  const bytes = Buffer.alloc(operations.reduce((sum, operation) => sum + sizeOf(operation), 0));
  layOut(operations, bytes);
  return bytes;
}

const texts = fc.string({ unit: "grapheme" });
const message = fc.record({ payload: texts.map((text) => Buffer.from(text)), row: fc.option(fc.constant("row"), { nil: undefined }) });
const batch = fc.array(message, { minLength: 1, maxLength: 60 });
const messages = fc.record({
  do: fc.constant("messages" as const),
  channel: texts,
  firstId: fc.bigInt({ min: 10n ** 17n, max: 10n ** 18n - 200n }),
  batches: fc.array(
    batch.map((some) => ({ messages: some, rows: some.some(({ row }) => row !== undefined) ? some.map(({ row }) => row) : undefined })),
    { minLength: 1, maxLength: 3 },
  ),
});
const operation = fc.oneof(
  messages,
  fc.record({ do: fc.constant("put" as const), key: texts, value: texts }),
  fc.record({ do: fc.constant("delete" as const), key: texts }),
);

describe("a group's layout", () => {
  it("comes to the same operations on the other side, each message under its own id", () => {
    fc.assert(
      fc.property(fc.array(operation), (operations) => {
        const expected = operations.flatMap((one): string[][] => {
          if (one.do === "put") return [["put", one.key, one.value]];
          if (one.do === "delete") return [["delete", one.key]];
          const rows = one.batches.flatMap((some) =>
            some.messages.map(({ payload }, at) => ({
              payload,
              row: some.rows?.[at] ?? (at === some.messages.length - 1 ? "plain\n" : "plain"),
            })),
          );
          return rows.map(({ payload, row }, at) => ["message", `${one.channel}/${one.firstId + BigInt(at)}`, payload.toString(), row]);
        });

        expect(performed(laidOut([{ do: "plain", row: "plain" }, ...operations]))).toEqual(expected);
      }),
    );
  });

  it("is refused where it has an operation that there is not", () => {
    const bytes = laidOut([{ do: "delete", key: "k" }]);
    bytes.writeUInt8(9, 0);

    expect(() => performed(bytes)).toThrow(expect.objectContaining({ code: "unrecoverable" }));
  });

  it("counts ids up over many nines", () => {
    const two = { messages: [{ payload: Buffer.of() }, { payload: Buffer.of() }], rows: undefined };

    const done = performed(laidOut([{ do: "messages", channel: "c", firstId: 199_999_999_999_999_998n, batches: [two, two] }]));

    const nines = ["199999999999999998", "199999999999999999", "200000000000000000", "200000000000000001"];
    expect(done.map(([, key]) => key)).toEqual(nines.map((id) => `c/${id}`));
  });
});
