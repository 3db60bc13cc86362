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
const messages = fc.record({
  do: fc.constant("messages" as const),
  channel: texts,
  firstId: fc.bigInt({ min: 10n ** 17n, max: 10n ** 18n - 200n }),
  plainRow: fc.constant("plain"),
  messages: fc.array(fc.record({ payload: texts, row: fc.option(fc.constant("row"), { nil: undefined }) }), {
    minLength: 1,
    maxLength: 120,
  }),
});
const operation = fc.oneof(
  messages.map((made) => ({ ...made, messages: made.messages.map(({ payload, row }) => ({ payload: Buffer.from(payload), row })) })),
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
          return one.messages.map(({ payload, row }, at) => [
            "message",
            `${one.channel}/${one.firstId + BigInt(at)}`,
            payload.toString(),
            row ?? one.plainRow,
          ]);
        });

        expect(performed(laidOut(operations))).toEqual(expected);
      }),
    );
  });

  it("counts ids up over many nines", () => {
    const four = Array.from({ length: 4 }, () => ({ payload: Buffer.of(), row: undefined }));

    const done = performed(laidOut([{ do: "messages", channel: "c", firstId: 199_999_999_999_999_998n, plainRow: "", messages: four }]));

    const nines = ["199999999999999998", "199999999999999999", "200000000000000000", "200000000000000001"];
    expect(done.map(([, key]) => key)).toEqual(nines.map((id) => `c/${id}`));
  });
});
