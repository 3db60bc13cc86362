import { describe, expect, it } from "vitest";
import { mutants } from "./mutants/mutants.js";
import { findFault } from "./mutants/search.js";
import { buildEngine } from "./mutants/test-build.js";

it("The crash explorer finds no fault in a build with nothing broken", async () => {
  expect(await findFault(await buildEngine([]), "damage")).toBeUndefined();
});

describe("The crash explorer sees it when a rule is broken:", () => {
  for (const { trace, rule, seenBy, edits } of mutants) {
    it(`${trace}: ${rule}`, async () => {
      const fault = await findFault(await buildEngine(edits), seenBy);

      expect(fault).toBeDefined();
      process.stdout.write(`${trace}: ${fault?.split("\n").slice(0, 2).join(" ")}\n`);
    });
  }
});
