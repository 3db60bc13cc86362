import { describe, expect, expectTypeOf, it } from "vitest";
import { isTidemarkError, TidemarkError } from "./errors.js";

describe("an error", () => {
  it("is told apart by its code, and has the details of that code then", () => {
    const error: unknown = new TidemarkError("too-large", "too much", { limit: 5, size: 7 });

    if (!isTidemarkError(error)) throw new Error("not ours");
    switch (error.code) {
      case "too-large":
        expectTypeOf(error.details).toEqualTypeOf<Readonly<{ limit: number; size: number }>>();
        expect(error.details.limit).toBe(5);
        break;
      case "locked":
        expectTypeOf(error.details.pid).toEqualTypeOf<number>();
        throw new Error("another code");
      default:
        throw new Error("another code");
    }
  });

  it("is known by one code alone", () => {
    const error: unknown = new TidemarkError("locked", "in use", { pid: 7 });

    expect(isTidemarkError(error, "too-large")).toBe(false);
    expect(isTidemarkError(error, "locked") && error.details.pid).toBe(7);
    expect(isTidemarkError(new Error("another"))).toBe(false);
  });
});
