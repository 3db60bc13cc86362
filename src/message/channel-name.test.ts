import { describe, expect, it } from "vitest";
import { vectorCases, type VectorCase } from "../../test/message/vectors.js";
import { channelParts, controlChannelOf, isControlChannel, pchannelName, vchannelName, vchannelOfShard } from "./channel-name.js";

type NameCase = VectorCase<{
  readonly input?: string;
  readonly isControlChannel?: boolean;
  readonly getControlChannel?: string;
  readonly isPhysicalChannel?: boolean;
  readonly parseChannel?: { readonly error?: true; readonly physical?: string; readonly virtualAgain?: string };
}>;

const names = vectorCases<NameCase>("channel-names").flatMap(({ name, meaning }) =>
  meaning.input === undefined ? [] : [{ name, meaning, input: meaning.input }],
);
// Milvus's channels may have them; ours may not, and a name that has one is in no form.
const allowed = names.filter(({ input }) => !input.includes("/"));

describe("a channel's name", () => {
  it.each(allowed)("says what it says in Milvus, read as decimal and strictly: $name", ({ input, meaning }) => {
    const parts = channelParts(input);

    expect(parts?.pchannel).toBe(meaning.parseChannel?.physical);
    if (parts !== undefined) expect(vchannelOfShard(parts)).toBe(meaning.parseChannel?.virtualAgain);
    expect(isControlChannel(input)).toBe(meaning.isControlChannel);
  });

  it("has a control channel when it is a pchannel's", () => {
    for (const { input, meaning } of allowed.filter(
      ({ input: name, meaning: { isPhysicalChannel } }) => isPhysicalChannel === true && name !== "",
    ))
      expect(controlChannelOf(pchannelName(input))).toBe(meaning.getControlChannel);
  });

  it.each([
    ["", "at least 1 byte"],
    ["a\0b", "without NUL"],
    ["a/b", 'without "/"'],
    ["a\ud800", "lone surrogate"],
    ["é".repeat(128), "at most 255 bytes (it has 256)"],
  ])("is refused with the rule it breaks: %j", (name, rule) => {
    expect(() => vchannelName(name)).toThrow(rule);
    expect(() => pchannelName(name)).toThrow(rule);
  });
});
