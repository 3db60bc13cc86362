import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { MetaMap } from "../../test/rocksmq/meta-map.js";
import { channelKey, cursorKey, cursorsOf, groupKey, groupsIn, positionKey } from "./keys.js";

/** Names that look like parts of keys, and any others. */
const name = fc.oneof(
  fc.constantFrom("channels", "groups", "current_id", "position", "a", "a%2Fb", "%", "..", "begin_id", "__proto__"),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 10 }),
);
const groupName = fc.oneof(name, fc.constantFrom("a/b", "/", "channels/a", "groups/a", "a/b/current_id"));
const channelName = name.filter((text) => !text.includes("/"));

describe("the keys", () => {
  it("are different for different things", () => {
    const thing = fc.oneof(
      fc.record({ kind: fc.constant("channel"), channel: channelName, group: fc.constant("") }),
      fc.record({ kind: fc.constant("group"), channel: fc.constant(""), group: groupName }),
      fc.record({ kind: fc.constant("cursor"), channel: channelName, group: groupName }),
      fc.record({ kind: fc.constant("position"), channel: channelName, group: groupName }),
    );
    const keyOf = ({ kind, group, channel }: { kind: string; group: string; channel: string }): string => {
      if (kind === "channel") return channelKey(channel);
      if (kind === "group") return groupKey(group);
      return kind === "cursor" ? cursorKey(group, channel) : positionKey(group, channel);
    };

    fc.assert(
      fc.property(thing, thing, (a, b) => {
        const isSame = a.kind === b.kind && a.group === b.group && a.channel === b.channel;
        expect(keyOf(a) === keyOf(b)).toBe(isSame);
      }),
    );
  });

  it("tell groups and cursors apart from all others, whatever the names", () => {
    const sets = fc.tuple(fc.uniqueArray(groupName), fc.uniqueArray(channelName));

    fc.assert(
      fc.property(sets, ([groups, channels]) => {
        const meta = new MetaMap();
        for (const channel of channels) meta.put(channelKey(channel));
        for (const group of groups) {
          meta.put(groupKey(group));
          for (const channel of channels) meta.put(cursorKey(group, channel));
          for (const channel of channels) meta.put(positionKey(group, channel));
        }

        expect(groupsIn(meta).sort()).toEqual([...groups].sort());
        for (const group of groups) {
          const found = cursorsOf(meta, group);
          expect(found.map(({ channel }) => channel).sort()).toEqual([...channels].sort());
          expect(found.every(({ channel, entry }) => entry.key === cursorKey(group, channel))).toBe(true);
        }
      }),
    );
  });
});
