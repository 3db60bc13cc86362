import { describe, expect, it } from "vitest";
import { checkChannelName, checkGroupName } from "./names.js";

describe("a name", () => {
  it.each(["a", " ", "a".repeat(255), "é".repeat(127), "日本", "𝄞", "%2F", "..", "a\nb", "channels", "groups", "__proto__"])(
    "may be %j",
    (name) => {
      expect(() => checkChannelName("name", name)).not.toThrow();
      expect(() => checkGroupName("group", name)).not.toThrow();
    },
  );

  it.each(["", "a".repeat(256), "é".repeat(128), "a\0b", "\ud800", "a\udc00b", "\udc00\ud800", undefined, null, 7, 7n, {}, ["a"]])(
    "can't be %s",
    (name) => {
      expect(() => checkChannelName("name", name)).toThrowError(
        expect.objectContaining({ code: "invalid-argument", details: { argument: "name" } }),
      );
      expect(() => checkGroupName("group", name)).toThrowError(
        expect.objectContaining({ code: "invalid-argument", details: { argument: "group" } }),
      );
    },
  );

  it("of a group may have a slash, of a channel not", () => {
    checkGroupName("group", "team/billing");

    expect(() => checkChannelName("channel", "team/billing")).toThrowError(
      'channel must be a channel name without "/", got "team/billing"',
    );
  });
});
