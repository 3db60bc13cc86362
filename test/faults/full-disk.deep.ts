/** A disk that is full while the next segment is filled ahead of need: that space is given back first. */
import { describe, expect, it } from "vitest";
import { expectGoodLife, liveOnFullDisk } from "./full-disk.js";
import { whyNoSmallDisk } from "./small-disk.js";

const missing = whyNoSmallDisk();
if (missing !== undefined) console.warn(`FULL DISKS NOT TESTED: ${missing}`);

describe.skipIf(missing !== undefined)("a full disk, after a load that lasts", () => {
  it.each([
    ["thread", "auto"],
    ["thread", "off"],
    ["inline", "auto"],
    ["inline", "off"],
  ] as const)("refuses what takes space, reads, trims, and goes on, on the %s host with prefill %s", async (host, prefill) => {
    const life = await liveOnFullDisk({ host, prefill, megabytes: 200, producers: 16, warmUpMs: 3_000 });

    expectGoodLife(life);
    expect(life.acked).toBeGreaterThan(1_000);
  });
});
