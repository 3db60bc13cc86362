import { describe, expect, it } from "vitest";
import { faultIn } from "./aligner-life.js";
import type { Alignment } from "./pack-book.js";
import { seedOr } from "./seed.js";

const seed = seedOr(Date.now() % 1_000_000);

describe("an aligner, whatever happens to it", () => {
  for (const alignment of ["watermark", "lockstep"] satisfies Alignment[]) {
    it(`has every message in exactly one pack behind every checkpoint, 10,000 times: ${alignment} (SEED=${seed})`, () => {
      expect(faultIn(alignment, 10_000, seed)).toBe("");
    });
  }
});
