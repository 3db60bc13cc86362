import { describe, expect, it } from "vitest";
import { Rounds, verdictOf } from "./figure.js";

describe("a verdict", () => {
  it("knows whether more is better", () => {
    const share = { better: "more", must: 0.85, stretch: 0.95 } as const;
    const delay = { better: "less", must: 10, stretch: 4 } as const;

    expect([0.84, 0.85, 0.95].map((value) => verdictOf(value, share))).toEqual(["missed", "reached", "stretch"]);
    expect([10.1, 10, 4].map((value) => verdictOf(value, delay))).toEqual(["missed", "reached", "stretch"]);
  });

  it("is a miss where nothing could be measured, and none where nothing is asked", () => {
    expect(verdictOf(NaN, { better: "less", must: 1, stretch: 1 })).toBe("missed");
    expect(verdictOf(1, undefined)).toBeUndefined();
  });
});

describe("the rounds of a figure", () => {
  it("are kept by host, with their median", () => {
    const rounds = new Rounds("acks", "per second");

    for (const value of [3, 1, 2]) rounds.add(value);
    rounds.add(7, "inline");

    expect(rounds.figure()).toMatchObject({ thread: { median: 2, rounds: [3, 1, 2] }, inline: { median: 7 } });
    expect(new Rounds("acks", "ms").figure().thread).toBeUndefined();
  });
});
