import { describe, expect, it } from "vitest";
import * as storage from "../../src/storage/index.js";
import { interleave, noFigures } from "./read-only/interleaving.js";

const seed = Number(process.env["SEED"] ?? 1);

describe("readers beside a writer", () => {
  it("see all that was acked and nothing else, in any order of their operations", async () => {
    const figures = noFigures();

    for (let run = 0; run < 150; run++) await interleave(storage, seed + run, figures);

    console.log(JSON.stringify(figures));
    expect(figures.runs).toBe(150);
  }, 60_000);
});
