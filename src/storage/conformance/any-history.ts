/**
 * Chapter: whatever is done, in whatever order, comes to what a simple model says.
 *
 * A failing run prints its seed; `SEED=<number>` runs the same histories again, `HISTORIES=<number>` runs more of them.
 */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EngineUnderTest } from "./engine-under-test.js";
import type { Action } from "./history-model.js";
import { HistoryRun, type Step } from "./history-run.js";
import { withStore } from "./test-store.js";

/** Registers the chapter. */
export function anyHistory(under: EngineUnderTest): void {
  describe("any history", () => {
    it("of changes, aborts, reads, clocks and reopenings comes to what the model says", async () => {
      let ran = 0;
      const ids = fc.constantFrom("internal" as const, "external" as const);
      await fc.assert(
        fc.asyncProperty(ids, fc.array(anyStep(under.persists), { minLength: 5, maxLength: 80, size: "max" }), async (kind, steps) => {
          await withStore(under, { ids: kind, segmentBytes: 64 * 1024 }, async (store) => {
            const run = new HistoryRun(store, kind);
            for (const step of [...beginning, ...steps]) await run.take(step);
            await run.settle();
            ran++;
          });
        }),
        { numRuns: Number(process.env["HISTORIES"] ?? under.histories ?? 60), ...seed() },
      );
      expect(ran).toBeGreaterThan(0);
    });
  });
}

/** Most changes would be refused in an empty store. */
const beginning: readonly Step[] = ["a", "a1", "__proto__"].map((channel) => ({
  step: "write",
  actions: [{ do: "create", name: channel }],
  ack: "durable",
  abort: false,
}));

function seed(): { seed?: number } {
  const given = process.env["SEED"];
  return given === undefined ? {} : { seed: Number(given) };
}

function anyStep(persists: boolean): fc.Arbitrary<Step> {
  const write = fc.record({
    step: fc.constant("write" as const),
    actions: fc.array(anyAction(), { minLength: 1, maxLength: 4 }),
    ack: fc.constantFrom("durable" as const, "written" as const),
    abort: fc.nat(19).map((n) => n === 0),
  });
  const read = fc.record({
    step: fc.constant("read" as const),
    name,
    old: fc.boolean(),
    ahead: fc.integer({ min: -2, max: 12 }),
    max: fc.integer({ min: 1, max: 10 }),
    maxBytes: fc.integer({ min: 1, max: 100 }),
    wait: fc.boolean(),
  });
  return fc.oneof(
    { weight: 20, arbitrary: write },
    { weight: 6, arbitrary: read },
    { weight: 3, arbitrary: fc.constant<Step>({ step: "turn" }) },
    { weight: 2, arbitrary: fc.constant<Step>({ step: "settle" }) },
    { weight: 1, arbitrary: fc.record({ step: fc.constant("clock" as const), ms: fc.integer({ min: -5_000, max: 5_000 }) }) },
    { weight: 2, arbitrary: fc.constant<Step>({ step: "wait" }) },
    { weight: persists ? 1 : 0, arbitrary: fc.constant<Step>({ step: "reopen" }) },
  );
}

/** Few names and keys, so that changes meet. */
const name = fc.constantFrom("a", "a1", "__proto__");
const key = fc.constantFrom("k", "k/", "k/1", "l", "\uffff", "\u{1f600}");
const text = fc.oneof(
  { weight: 9, arbitrary: fc.string({ maxLength: 30 }) },
  { weight: 1, arbitrary: fc.nat(20_000).map((n) => "x".repeat(n)) },
);

function anyAction(): fc.Arbitrary<Action> {
  const texts = fc.array(text, { maxLength: 5 });
  return fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant("create" as const), name }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("destroy" as const), name }) },
    { weight: 12, arbitrary: fc.record({ do: fc.constant("append" as const), name, texts, gap: fc.nat(3) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant("trim" as const), name, ahead: fc.integer({ min: 0, max: 8 }) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant("put" as const), key, text: fc.string({ maxLength: 8 }) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("delete" as const), key }) },
  );
}
