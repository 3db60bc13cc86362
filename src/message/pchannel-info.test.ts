import { describe, expect, it } from "vitest";
import { hex, unhex, vectorCases, type VectorCase } from "../../test/message/vectors.js";
import { pchannelInfoFromBytes, pchannelInfoToBytes } from "./pchannel-info.js";

interface InfoCase extends VectorCase<{
  readonly name: string;
  readonly term: string;
  readonly accessMode: number;
  readonly panics: boolean;
}> {
  readonly bytes: string;
}

const cases = vectorCases<InfoCase>("channel-names").filter(({ name }) => name.startsWith("pchannel-info/"));

describe("what Milvus tells of a pchannel", () => {
  it("has cases of both kinds", () => {
    expect(new Set(cases.map(({ meaning }) => meaning.panics))).toEqual(new Set([true, false]));
  });

  it.each(cases)("is read as there, written the same, and corrupt where it panics: $name", ({ bytes, meaning }) => {
    const read = () => pchannelInfoFromBytes(unhex(bytes));

    if (meaning.panics) {
      expect(read).toThrow(expect.objectContaining({ code: "corrupt" }));
      return;
    }
    expect(read()).toEqual({ name: meaning.name, term: BigInt(meaning.term), accessMode: meaning.accessMode === 1 ? "ro" : "rw" });
    expect(hex(pchannelInfoToBytes(read()))).toBe(bytes);
  });

  it("is refused with the field where it is none", () => {
    const write = (info: object) => (): unknown => Reflect.apply(pchannelInfoToBytes, undefined, [info]);

    expect(write({ name: "p", term: 0n, accessMode: "rw" })).toThrow("info.term must be at least 1");
    expect(write({ name: "p", term: 1n, accessMode: "w" })).toThrow("info.accessMode must be one of");
    expect(write({ name: "", term: 1n, accessMode: "rw" })).toThrow("pchannel must be a name of at least 1 byte");
  });
});
