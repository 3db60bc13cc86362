import { expect, it } from "vitest";
import { endAt, ends, operationsOfALife } from "./channel-lives.js";

it("a channel service has done all of every call or nothing, at whatever operation of the disk its process ends", async () => {
  const operations = await operationsOfALife();

  for (let operation = 0; operation < operations; operation++) {
    // The deep tier tries every end at every operation.
    const end = ends[operation % ends.length] ?? ends[0];
    const { faults } = await endAt(operation, end);
    expect(faults, `operation ${operation} of ${operations}, ${JSON.stringify(end)}`).toEqual([]);
  }
  expect(operations).toBeGreaterThan(40);
});
