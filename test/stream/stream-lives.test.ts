import { describe, expect, it } from "vitest";
import type { Alignment } from "./pack-book.js";
import { seedOr } from "./seed.js";
import { leastOf, liveMany } from "./stream-lives.js";
import { delayedWorld, memoryWorld, rocksMqWorld } from "./stream-worlds.js";

const seed = seedOr(7);

describe("a time-tick stream, whatever happens to it", () => {
  for (const alignment of ["watermark", "lockstep"] satisfies Alignment[]) {
    it(`over memory has every message in exactly one pack behind every checkpoint: ${alignment} (SEED=${seed})`, async () => {
      const { fault, ...lived } = await liveMany(alignment, memoryWorld, { numRuns: 250, seed });

      expect(fault).toBe("");
      // Most lives have packs, seeks and added channels, every third goes on where it was ended.
      expect(leastOf(lived)).toBeGreaterThan(40);
    });

    it(`has it too where answers come in any order: ${alignment} (SEED=${seed})`, async () => {
      const { fault } = await liveMany(alignment, delayedWorld, { numRuns: 15, seed });

      expect(fault).toBe("");
    });

    it(`over rocksmq has every message in exactly one pack behind every checkpoint: ${alignment} (SEED=${seed})`, async () => {
      const { fault } = await liveMany(alignment, rocksMqWorld, { numRuns: 4, seed });

      expect(fault).toBe("");
    });
  }
});
