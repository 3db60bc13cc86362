import { expect, it } from "vitest";
import * as storage from "../../src/storage/index.js";
import { interleave, noFigures } from "./read-only/interleaving.js";
it("x", async () => {
  const from = Number(process.env["SEED"] ?? 1);
  const bad: string[] = [];
  const figures = noFigures();
  for (let run = 0; run < Number(process.env["RUNS"] ?? 1); run++) {
    try { await interleave(storage, from + run, figures); } catch (error) { bad.push((error as Error).message.slice(0, 400)); }
  }
  console.log(JSON.stringify(figures), bad.length, bad.slice(0, 12).join("\n"));
  expect(1).toBe(1);
}, 600_000);
