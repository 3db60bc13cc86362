import { describe, expect, it } from "vitest";
import { faultIn } from "./aligner-life.js";
import type { Alignment } from "./pack-book.js";
import { seedOr } from "./seed.js";

const seed = seedOr(7);

describe("an aligner, whatever happens to it", () => {
  for (const alignment of ["watermark", "lockstep"] satisfies Alignment[]) {
    it(`has every message in exactly one pack behind every checkpoint: ${alignment} (SEED=${seed})`, () => {
      expect(faultIn(alignment, 500, seed)).toBe("");
    });
  }
});
