import { describe, expect, it } from "vitest";
import type { Alignment } from "./pack-book.js";
import { seedOr } from "./seed.js";
import { leastOf, liveMany } from "./stream-lives.js";
import { delayedWorld, memoryWorld, rocksMqWorld } from "./stream-worlds.js";

const seed = seedOr(Date.now() % 1_000_000);

describe("a time-tick stream, whatever happens to it", () => {
  for (const alignment of ["watermark", "lockstep"] satisfies Alignment[]) {
    it(`over memory has every message in exactly one pack behind every checkpoint, 5,000 times: ${alignment} (SEED=${seed})`, async () => {
      const { fault, ...lived } = await liveMany(alignment, memoryWorld, { numRuns: 5_000, seed });

      expect(fault).toBe("");
      expect(leastOf(lived)).toBeGreaterThan(1_000);
    });

    it(`has it too where answers come in any order, 500 times: ${alignment} (SEED=${seed})`, async () => {
      const { fault } = await liveMany(alignment, delayedWorld, { numRuns: 500, seed });

      expect(fault).toBe("");
    });

    it(`over rocksmq has every message in exactly one pack behind every checkpoint, 100 times: ${alignment} (SEED=${seed})`, async () => {
      const { fault, ...lived } = await liveMany(alignment, rocksMqWorld, { numRuns: 100, seed });

      expect(fault).toBe("");
      expect(leastOf(lived)).toBeGreaterThan(20);
    });
  }
});
