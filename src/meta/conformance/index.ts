/**
 * What every store of metadata owes, as laws: one suite, a file a chapter. Nothing here knows where the keys are kept, nor whether
 * others write beside them: revisions are compared, never counted.
 */
import { describe } from "vitest";
import { badInput } from "./bad-input.js";
import { concurrency } from "./concurrency.js";
import { ending } from "./ending.js";
import { entries } from "./entries.js";
import type { MetaUnderTest } from "./meta-under-test.js";
import { ranges } from "./ranges.js";
import { sizes } from "./sizes.js";
import { transactions } from "./transactions.js";

export type { Keyspace, MetaUnderTest } from "./meta-under-test.js";

/** Registers the suite for one store; call it at the top of a test file. */
export function metaConformance(under: MetaUnderTest): void {
  describe(`meta store conformance: ${under.name}`, () => {
    entries(under);
    ranges(under);
    transactions(under);
    concurrency(under);
    badInput(under);
    sizes(under);
    ending(under);
  });
}
