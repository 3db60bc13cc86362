import { expect, it } from "vitest";
import { bareRecord } from "./bare-record.js";

it("a bare record has no key but its own, and takes any", () => {
  const record = bareRecord();
  expect([Object.getPrototypeOf(record), "toString" in record, record["__proto__"]]).toEqual([null, false, undefined]);

  record["__proto__"] = "a text";

  expect(Object.entries(record)).toEqual([["__proto__", "a text"]]);
  expect(Object.getPrototypeOf(record)).toBeNull();
});
