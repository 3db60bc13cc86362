import { describe, expect, it } from "vitest";
import { decodeMessage } from "./decode-message.js";
import { encodeMessage } from "./encode-message.js";
import { int64MessageId } from "./int64-message-id.js";
import { marshal } from "./marshal.js";
import { propertiesFrom } from "./properties.js";
import { timeTick } from "../base/time-tick.js";
import { tsMsg } from "./ts-msg.js";
import { protoUnmarshal } from "./unmarshal.js";

const properties = propertiesFrom(Array.from({ length: 1_000_000 }, (_, at) => [`key-${at}`, "v"] as const));

/** Bytes of heap that a call has left behind or needed at once, roughly. */
function heapFor(call: () => void): number {
  const before = process.memoryUsage().heapUsed;
  call();
  return process.memoryUsage().heapUsed - before;
}

describe("a million properties", () => {
  it("of a record of the log are a message, for memory in proportion", () => {
    const wire = { properties: { ...properties, _v: "1", _t: "2", _tt: "1", _lcs: "", _h: "" }, payload: new Uint8Array(0) };

    const heap = heapFor(() => {
      const m = decodeMessage(wire, int64MessageId("memory", 1n));
      expect(Object.keys(m.properties).length).toBe(1_000_000);
      expect(encodeMessage(m)).toBe(wire);
    });

    expect(heap).toBeLessThan(1_000_000 * 1_000);
  });

  it("in the base of a stream's message are a message, for memory in proportion", () => {
    const { payload } = marshal(tsMsg({ type: "timeTick", timestamp: timeTick(1), body: { base: { properties } } }));

    const heap = heapFor(() => {
      const msg = protoUnmarshal.newUnmarshalDispatcher().unmarshal(payload, "timeTick");
      expect(Object.keys(msg.properties).length).toBe(1_000_000);
    });

    expect(heap).toBeLessThan(1_000_000 * 1_000);
  });
});
