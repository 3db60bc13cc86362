import { it } from "vitest";
import * as storage from "../../src/storage/index.js";
import { interleave, noFigures } from "./read-only/interleaving.js";
it("x", async () => {
  const trace: string[] = [];
  (globalThis as {TRACE?: string[]}).TRACE = trace;
  try { await interleave(storage, Number(process.env["SEED"]), noFigures()); } catch (error) { console.log(trace.slice(-Number(process.env["LAST"] ?? 60)).join("\n")); console.log((error as Error).message, (error as Error).cause); }
}, 600_000);
