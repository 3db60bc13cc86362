import { expect, it } from "vitest";
import { assert } from "./assert.js";

it("says nothing while the invariant holds", () => {
  expect(() => assert(true, "1 is 1")).not.toThrow();
});

it("stops with `unrecoverable`, and says what should have held", () => {
  expect(() => assert(false, "segment 7 ends at 4096")).toThrow(
    expect.objectContaining({ code: "unrecoverable", message: expect.stringContaining("segment 7 ends at 4096") as string }),
  );
});
