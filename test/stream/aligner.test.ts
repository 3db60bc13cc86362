import * as fc from "fast-check";
import { describe, it } from "vitest";
import { type Alignment, live, lives } from "./aligner-life.js";
import { seedOr } from "./seed.js";

const seed = seedOr(7);

describe("an aligner, whatever happens to it", () => {
  for (const alignment of ["watermark", "lockstep"] satisfies Alignment[]) {
    it(`has every message in exactly one pack behind every checkpoint: ${alignment} (SEED=${seed})`, () => {
      fc.assert(
        fc.property(lives, (steps) => live(alignment, steps)),
        { numRuns: 500, seed },
      );
    });
  }
});
