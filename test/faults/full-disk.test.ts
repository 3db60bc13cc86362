/** A disk that is full for real: a small one in memory. */
import { describe, expect, it } from "vitest";
import { expectGoodLife, liveOnFullDisk } from "./full-disk.js";
import { whyNoSmallDisk } from "./small-disk.js";

const missing = whyNoSmallDisk();
if (missing !== undefined) console.warn(`FULL DISKS NOT TESTED: ${missing}`);

describe.skipIf(missing !== undefined)("a full disk", () => {
  it.each(["thread", "inline"])("refuses what takes space, reads, trims, and goes on once some is free, on the %s host", async (host) => {
    const life = await liveOnFullDisk({ host, prefill: "off", megabytes: 8, producers: 4, warmUpMs: 0 });

    expectGoodLife(life);
    expect(life.acked).toBeGreaterThan(100);
  });
});
