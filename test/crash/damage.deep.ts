import { describe, expect, it } from "vitest";
import { openSegmentEngine } from "../../src/storage/index.js";
import { flipBits } from "./damage.js";
import { makeSpecimen } from "./damaged-store.js";
import { tell } from "./seed.js";

describe("A bit flipped in every byte of every segment", () => {
  it("is reported after a clean close, or harms nothing that is read", async () => {
    const figures = await flipBits(await makeSpecimen("closed", openSegmentEngine), 1);

    tell("every byte after a clean close", figures);
    expect(figures.flips).toBeGreaterThan(5000);
    expect(figures.untellable).toBe(0);
  });

  it("is reported after a kill, or harms nothing that is read, but for the last group", async () => {
    const figures = await flipBits(await makeSpecimen("killed", openSegmentEngine), 1);

    tell("every byte after a kill", figures);
    expect(figures.flips).toBeGreaterThan(5000);
    expect(figures.untellable).toBeLessThan(200);
  });
});
