import { describe, expect, it } from "vitest";
import { SeededRandom } from "../../src/testing/seeded-random.js";
import { countingAllocator, runRandomCalls } from "./random-calls.js";
import { stores } from "./stores.js";

const seed = Number(process.env["SEED"] ?? 7);
const histories = 400;

describe.each(stores)("any calls on $name", ({ open }) => {
  it(`come to what they would if each was awaited (SEED=${seed})`, async () => {
    for (let history = 0; history < histories; history++) {
      const mq = await open({ ids: countingAllocator() });
      expect(await runRandomCalls(mq, new SeededRandom(seed * 1_000 + history))).toBeGreaterThan(50);
      await mq.close();
    }
  });
});
