import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { AnswerReader, encodeCommand } from "./resp.js";

describe("a command", () => {
  it("is an array of byte strings, whatever bytes they are", () => {
    expect(encodeCommand(["PING", Buffer.from([0, 13, 10])]).toString("latin1")).toBe("*2\r\n$4\r\nPING\r\n$3\r\n\0\r\n\r\n");
  });
});

describe("answers", () => {
  it("are the same however the stream is cut", () => {
    const stream = Buffer.from("+OK\r\n$5\r\na\r\nbc\r\n:12\r\n$-1\r\n$0\r\n\r\n");

    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: stream.length })), (cuts) => {
        const reader = new AnswerReader();
        const at = [0, ...cuts.sort((a, b) => a - b), stream.length];
        const answers = at.flatMap((from, index) => reader.push(stream.subarray(from, at[index + 1])).map(String));
        expect(answers).toEqual(["OK", "a\r\nbc", "12", "-1", ""]);
      }),
    );
  });

  it("that are errors are thrown", () => {
    expect(() => new AnswerReader().push(Buffer.from("-ERR no\r\n"))).toThrow("redis-server: ERR no");
  });
});
