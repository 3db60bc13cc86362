import { describe, expect, it } from "vitest";
import { tell } from "../crash/seed.js";
import { endAt, ends, operationsOfALife } from "./channel-lives.js";

// All four twice over would take minutes; the fast tier ends once in each way.
describe.each(ends.slice(0, 2))("a channel service whose process ends by a $by, torn: $torn", (end) => {
  it("has done all of every call or nothing, at whatever operation of the disk that comes, and at whatever of the next open once more", async () => {
    const operations = await operationsOfALife();
    let lives = 0;

    for (let operation = 0; operation < operations; operation++) {
      const { faults, reopening } = await endAt(operation, end);
      expect(faults, `operation ${operation} of ${operations}`).toEqual([]);
      for (let again = 0; again < reopening; again++) {
        const { faults: left } = await endAt(operation, end, again);
        expect(left, `operation ${operation}, then ${again} of ${reopening}`).toEqual([]);
      }
      lives += 1 + reopening;
    }
    tell("channel service", { ...end, operations, lives });
  });
});
