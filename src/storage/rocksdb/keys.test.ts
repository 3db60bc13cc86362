import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  beginKey,
  channelKey,
  doomedKey,
  endKey,
  greatestId,
  idIn,
  leastId,
  messageKey,
  metaRow,
  pageKey,
  revisionsKey,
  valueKey,
} from "./keys.js";

const names = fc.oneof(
  fc.constantFrom("channels", "groups", "begin_id", "a%2Fb", "%00", "ü"),
  fc.string({ minLength: 1, unit: "grapheme" }).filter((name) => !name.includes("/")),
);
const ids = fc.bigInt({ min: leastId, max: greatestId });

describe("keys", () => {
  it("are the seed's: channel/id for a message, channel/begin_id and channel/end_id in the metadata", () => {
    expect(messageKey("orders", 470802421591048193n)).toBe("orders/470802421591048193");
    expect([beginKey("orders"), endKey("a/b ü")]).toEqual(["orders/begin_id", "a%2Fb%20%C3%BC/end_id"]);
    expect(valueKey("billing/orders/current_id")).toBe("billing/orders/current_id");
  });

  it("of messages sort as their ids do, and give them back, to the greatest and the end behind it", () => {
    fc.assert(
      fc.property(ids, ids, (a, b) => {
        expect(messageKey("c", a) < messageKey("c", b)).toBe(a < b);
        expect(messageKey("c", a) < messageKey("c", greatestId + 1n)).toBe(true);
        expect(idIn(messageKey("c/9", a))).toBe(a);
      }),
    );
  });

  it("of the metadata are read back as what they were made for", () => {
    fc.assert(
      fc.property(names, ids, fc.nat(), (channel, lastId, number) => {
        expect(metaRow(beginKey(channel))).toEqual({ row: "begin", channel });
        expect(metaRow(endKey(channel))).toEqual({ row: "end", channel });
        expect(metaRow(channelKey(channel))).toEqual({ row: "channel", channel });
        expect(metaRow(pageKey(channel, lastId))).toEqual({ row: "page", channel, lastId });
        expect(metaRow(doomedKey(number))).toEqual({ row: "doomed", number });
      }),
    );
  });

  it("that anybody puts stand apart from the engine's own, whatever they look like", () => {
    const hostile = fc.constantFrom("\0state", "\0key/a", "channels/begin_id", "groups/end_id", "/begin_id", "a/b/end_id", "", "\0");
    fc.assert(
      fc.property(fc.oneof(hostile, fc.string({ unit: "binary" })), (key) => {
        expect(metaRow(valueKey(key))).toEqual({ row: "value", key });
        expect(metaRow(revisionsKey(key))).toEqual({ row: "revisions", key });
      }),
    );
    expect(metaRow("\0later/a")).toBeUndefined();
  });
});
