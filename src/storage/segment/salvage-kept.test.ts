import { describe, expect, it } from "vitest";
import { silentLogger } from "../../base/logger.js";
import { noMetrics } from "../../base/metrics.js";
import { ManualClock, MemoryVfs } from "../../testing/index.js";
import { salvageSegmentStore } from "./salvage.js";
import { openSegmentEngine } from "./segment-engine.js";

const [dir, to] = ["/meta", "/salvaged"];
const nowMs = 1_800_000_000_000;

describe("salvage", () => {
  it.each([["with its checkpoint"], ["without it"]])("leaves a metadata store one, %s", async (how) => {
    const disk = new MemoryVfs();
    const open = (at: string, keeps: "queue" | "meta"): ReturnType<typeof openSegmentEngine> =>
      openSegmentEngine({
        dir: at,
        keeps,
        ids: "internal",
        durability: "sync",
        segmentBytes: 4096,
        prefill: "off",
        clock: new ManualClock(nowMs),
        vfs: disk,
        metrics: noMetrics,
        logger: silentLogger,
      });
    const store = await open(dir, "meta");
    await store.write((draft) => draft.put("k", new Uint8Array(1)));
    await store.close();
    if (how === "without it") await disk.unlink(`${dir}/checkpoint`);

    await salvageSegmentStore(disk, { from: dir, to, nowMs });

    await expect(open(to, "queue")).rejects.toMatchObject({ code: "invalid-argument" });
    const saved = await open(to, "meta");
    expect(saved.meta.get("k")).toBeDefined();
    await saved.close();
  });
});
