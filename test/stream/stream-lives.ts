/**
 * Random lives of whole streams, many of them, and what went wrong in the first that broke a law.
 */
import * as fc from "fast-check";
import type { Alignment } from "./pack-book.js";
import { type LifeOptions, StreamLife, type StreamStep, type Written } from "./stream-life.js";
import type { World } from "./stream-worlds.js";

/** How often what happened. */
type Counts = Record<"packs" | "late" | "seeks" | "resumed" | "added", number>;

/** What was lived through. */
export interface Lived extends Counts {
  /** Empty if no law was broken; else the law, and the life that broke it, made as short as it goes. */
  fault: string;
}

const channel = fc.nat(3);

const written: fc.Arbitrary<Written> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constant("message" as const),
      type: fc.constantFrom("user" as const, "insert" as const, "delete" as const),
      ahead: fc.nat(12),
    }),
  },
  { weight: 3, arbitrary: fc.record({ what: fc.constant("late message" as const), ago: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.constantFrom<Written>({ what: "tick" }, { what: "tick again" }) },
  { weight: 1, arbitrary: fc.constant<Written>({ what: "poison" }) },
);

const step: fc.Arbitrary<StreamStep> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ op: fc.constant("write" as const), channel, records: fc.array(written, { minLength: 1, maxLength: 4 }) }),
  },
  { weight: 5, arbitrary: fc.constant<StreamStep>({ op: "tick all" }) },
  { weight: 2, arbitrary: fc.constant<StreamStep>({ op: "ask" }) },
  { weight: 5, arbitrary: fc.record({ op: fc.constant("take" as const), packs: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: fc.constant<StreamStep>({ op: "give up" }) },
  { weight: 1, arbitrary: fc.constant<StreamStep>({ op: "time passes" }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant("silence" as const), channel }) },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant("add" as const),
      position: fc.constantFrom("resume" as const, "earliest" as const, "latest" as const, "unknown" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant("restart" as const),
      how: fc.constantFrom("closed" as const, "killed" as const),
      asking: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant("seek" as const),
      pack: fc.nat(30),
      channel: fc.option(channel, { nil: undefined }),
      busy: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant("seek tick" as const),
      channel,
      ago: fc.nat(40),
      record: fc.option(fc.nat(30), { nil: undefined }),
    }),
  },
);

const lives = fc.record({
  // Only where channels are left out a checkpoint comes to lie elsewhere than at a tick.
  idle: fc.constantFrom(true, true, false),
  dedupe: fc.boolean(),
  bufferPacks: fc.integer({ min: 1, max: 4 }),
  alignBytes: fc.constantFrom(undefined, 40_000),
  order: fc.nat(),
  steps: fc.array(step, { minLength: 8, maxLength: 20, size: "max" }),
});

/** Lives so many lives of one alignment in worlds that `open` makes. */
export async function liveMany(
  alignment: Alignment,
  open: (bufferPacks: number, order: number) => World | Promise<World>,
  run: { readonly numRuns: number; readonly seed: number },
): Promise<Lived> {
  const lived: Lived = { packs: 0, late: 0, seeks: 0, resumed: 0, added: 0, fault: "" };
  const property = fc.asyncProperty(lives, async ({ idle, steps, bufferPacks, order, ...rest }) => {
    const options = { ...rest, alignment, idle: idle && alignment === "watermark" };
    const world = await open(bufferPacks, order);
    try {
      await live(world, options, steps, lived);
    } finally {
      await world.end();
    }
  });
  const details = await fc.check(property, run);
  if (details.failed) lived.fault = `${String(details.errorInstance)}\n${(await fc.asyncDefaultReportMessage(details)) ?? ""}`;
  return lived;
}

/** How often that happened which happened least. */
export function leastOf(counts: Readonly<Counts>): number {
  return Math.min(...Object.values(counts));
}

async function live(world: World, options: LifeOptions, steps: readonly StreamStep[], lived: Lived): Promise<void> {
  const life = await StreamLife.begin(world, options);
  for (const next of steps) await life.step(next);
  await life.end();
  for (const what of ["packs", "late", "seeks", "resumed", "added"] as const) lived[what] += life.done[what];
}
