import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { noProperties, propertiesBytes, writeProperties, type Properties } from "./packed-properties.js";
import { PropertiesReader } from "./properties-reader.js";

function packed(properties: Properties): Buffer {
  const bytes = Buffer.alloc(propertiesBytes(properties));
  expect(writeProperties(bytes, 0, properties)).toBe(bytes.length);
  return bytes;
}

function readAll(all: readonly Properties[]): Properties[] {
  const reader = new PropertiesReader();
  return all.map((properties) => {
    const bytes = packed(properties);
    return reader.read(bytes, 0, bytes.length);
  });
}

/** Few of each, so that messages often have a text in common with the one before, at the same place or at another. */
const anyKey = fc.constantFrom("", "k", "é", "__proto__", "toString", "x".repeat(127), "x".repeat(128), "x".repeat(129));
const anyValue = fc.oneof(
  fc.constantFrom("", "v", "w", "ü", "y".repeat(128), "y".repeat(300)),
  fc.string({ unit: "binary", maxLength: 5 }),
);
const anyProperties = fc.dictionary(anyKey, anyValue);

describe("a reader of properties", () => {
  it("gives back what was written, whatever the messages before had", () => {
    fc.assert(
      fc.property(fc.array(anyProperties, { maxLength: 30 }), (all) => {
        expect(readAll(all).map((properties) => Object.entries(properties))).toEqual(all.map((properties) => Object.entries(properties)));
      }),
    );
  });

  it("reads also more properties than it remembers", () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`key ${at}`, `value ${at}`]));

    expect(readAll([many, many]).map((properties) => Object.entries(properties))).toEqual([Object.entries(many), Object.entries(many)]);
  });

  it("remembers a text that came back after many others", () => {
    const all = ["a", "b", "c", "d", "e", "f", "f", "a", "a"].map((text) => ({ text }));

    expect(readAll(all).map(({ text }) => text)).toEqual(all.map(({ text }) => text));
  });

  it("keeps nothing of the memory that it reads from", () => {
    const reader = new PropertiesReader();
    const bytes = packed({ k: "before" });
    reader.read(bytes, 0, bytes.length);

    bytes.set(packed({ k: "behind" }));

    expect(reader.read(bytes, 0, bytes.length)["k"]).toBe("behind");
  });

  it("has one object for all messages without any", () => {
    expect(new PropertiesReader().read(Buffer.alloc(3), 2, 2)).toBe(noProperties);
  });
});
