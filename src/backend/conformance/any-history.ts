/**
 * Chapter: whatever is done, in whatever order, comes to what a simple model says.
 *
 * A failing run prints its seed; `SEED=<number>` runs the same histories again, `HISTORIES=<number>` runs more of them.
 */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BackendUnderTest } from "./backend-under-test.js";
import { HistoryRun, type Step } from "./history-run.js";
import { TestLog } from "./test-log.js";

/** Registers the chapter. */
export function anyHistory(under: BackendUnderTest): void {
  describe("any history", () => {
    it("of appends, trims, readers, resume points and reopenings comes to what the model says", async () => {
      let steps = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(anyStep(under), { minLength: 5, maxLength: 60, size: "max" }), async (history) => {
          const log = await under.open();
          try {
            const run = new HistoryRun(new TestLog(log));
            for (const step of history) await run.take(step);
            await run.compare();
            steps += history.length;
          } finally {
            await log.end();
          }
        }),
        { numRuns: Number(process.env["HISTORIES"] ?? under.histories ?? 40), ...seed() },
      );
      expect(steps).toBeGreaterThan(0);
    });
  });
}

function seed(): { seed?: number } {
  const given = process.env["SEED"];
  return given === undefined ? {} : { seed: Number(given) };
}

function anyStep({ manifest }: BackendUnderTest): fc.Arbitrary<Step> {
  const keeps = (law: keyof typeof manifest.exempt): boolean => manifest.exempt[law] === undefined;
  // Few, so that steps meet.
  const label = fc.constantFrom("a", "b");
  const place = fc.nat(12);
  const start = fc.oneof(
    fc.constantFrom("earliest" as const, "latest" as const),
    place.map((at) => ({ at })),
    place.map((after) => ({ after })),
  );
  const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 12 }), { maxLength: 4 });
  return fc.oneof(
    { weight: 12, arbitrary: fc.record({ do: fc.constant("append" as const), label, texts }) },
    { weight: 5, arbitrary: fc.record({ do: fc.constant("open" as const), label, start, maxRecords: fc.integer({ min: 1, max: 5 }) }) },
    { weight: 12, arbitrary: fc.record({ do: fc.constant("next" as const), reader: place }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("wait" as const), reader: place, text: fc.string({ maxLength: 5 }) }) },
    { weight: keeps("trims-exactly") ? 3 : 0, arbitrary: fc.record({ do: fc.constant("trim" as const), label, place }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("save" as const), text: fc.string({ maxLength: 5 }), place }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("again" as const), label }) },
    { weight: keeps("keeps-over-reopen") ? 1 : 0, arbitrary: fc.constant<Step>({ do: "reopen" }) },
  );
}
