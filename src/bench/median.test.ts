import { describe, expect, it } from "vitest";
import { median, quantile } from "./median.js";

describe("median", () => {
  it("is the middle, in any order, and the lower middle of an even number", () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([10, 9, 100, 1])).toBe(9);
    expect(median([])).toBeNaN();
  });

  it("leaves its input as it was", () => {
    const values = [3, 1, 2];

    median(values);

    expect(values).toEqual([3, 1, 2]);
  });
});

describe("quantile", () => {
  it("of 99 % has at most 1 % of the values above it", () => {
    const values = Array.from({ length: 1_000 }, (_, at) => at);

    expect(values.filter((value) => value > quantile(values, 0.99))).toHaveLength(10);
    expect(quantile([7], 0.99)).toBe(7);
    expect(quantile([1, 2], 0)).toBe(1);
  });
});
