import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { batchEnd, encodeProperties, PropertiesReader } from "./stored-properties.js";

describe("the row of properties", () => {
  it("is the seed's pair as JSON, the end of a batch too", () => {
    const row = encodeProperties(1_700_000_000_000, { k: "v" });

    expect(row).toBe('{"time":1700000000000,"properties":{"k":"v"}}');
    expect(JSON.parse(row + batchEnd)).toEqual({ time: 1_700_000_000_000, properties: { k: "v" } });
    expect(encodeProperties(5, undefined)).toBe('{"time":5,"properties":{}}');
  });

  it("gives back any texts, exactly, whatever was read before", () => {
    const key = fc.oneof(fc.constantFrom("__proto__", "constructor", "7", ""), fc.string({ unit: "binary" }));
    const reader = new PropertiesReader();
    fc.assert(
      fc.property(fc.nat(), fc.array(fc.tuple(key, fc.string({ unit: "binary" }))), (timeMs, pairs) => {
        const properties: unknown = Object.fromEntries(pairs);

        const read = reader.read(encodeProperties(timeMs, properties as Record<string, string>));

        expect(read.timeMs).toBe(timeMs);
        expect(Object.getPrototypeOf(read.properties)).toBeNull();
        expect(new Map(Object.entries(read.properties))).toEqual(new Map(Object.entries(Object.fromEntries(pairs))));
      }),
    );
  });

  it("gives messages of the same text one object, which none of them can change", () => {
    const reader = new PropertiesReader();
    const row = encodeProperties(5, { k: "v" });

    const [one, other] = [reader.read(row).properties, reader.read(row).properties];

    expect(one).toBe(other);
    expect(Reflect.set(one, "k", "changed")).toBe(false);
    expect(Reflect.set(one, "more", "")).toBe(false);
  });

  it.each(["", "{}", '{"time":"5","properties":{}}', '{"time":5,"properties":{"k":1}}', '{"time":5,"properties":null}'])(
    "that is none is refused: %s",
    (text) => {
      expect(() => new PropertiesReader().read(text === "" ? " " : text)).toThrow(/row of properties|JSON/);
    },
  );
});
