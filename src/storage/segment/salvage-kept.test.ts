import { describe, expect, it } from "vitest";
import { silentLogger } from "../../base/logger.js";
import { noMetrics } from "../../base/metrics.js";
import { ManualClock, MemoryVfs } from "../../testing/index.js";
import type { Draft, Engine } from "../engine.js";
import type { StoreKind } from "../store-kind.js";
import { segmentName } from "./file-names.js";
import { salvageSegmentStore } from "./salvage.js";
import { openSegmentEngine } from "./segment-engine.js";
import { claimedHeader, encodeSegmentHeader } from "./segment-header.js";

const [dir, to] = ["/damaged", "/salvaged"];
const nowMs = 1_800_000_000_000;
const checkpoints = [["with its checkpoint"], ["without it"]];

/** Stores on one disk. */
class Stores {
  readonly disk = new MemoryVfs();

  open(at: string, keeps: StoreKind): Promise<Engine> {
    return openSegmentEngine({
      dir: at,
      keeps,
      ids: "internal",
      durability: "sync",
      segmentBytes: 4096,
      prefill: "off",
      clock: new ManualClock(nowMs),
      vfs: this.disk,
      metrics: noMetrics,
      logger: silentLogger,
    });
  }

  /** Makes a store, loses its checkpoint or not, and salvages it. */
  async salvaged(keeps: StoreKind, how: string, changes: readonly ((draft: Draft) => unknown)[]): Promise<void> {
    const store = await this.open(dir, keeps);
    for (const change of changes) await store.write(change);
    await store.close();
    if (how === "of an earlier build, without it") await this.#forgetInHeader();
    if (how !== "with its checkpoint") await this.disk.unlink(`${dir}/checkpoint`);
    await salvageSegmentStore(this.disk, { from: dir, to, nowMs });
  }

  /** Has the first segment's header say nothing of what the store keeps. */
  async #forgetInHeader(): Promise<void> {
    const path = `${dir}/${segmentName(1)}`;
    const header = claimedHeader(Buffer.from(this.disk.fileBytes(path))) ?? expect.fail("the segment has a header");
    const { segment, term, frame } = header;
    const file = await this.disk.open(path, "write");
    await file.write([encodeSegmentHeader(segment, { ...header, keeps: undefined }, frame.durableThrough, term, frame.timeMs)], 0);
    await file.close();
  }
}

describe("salvage", () => {
  it.each(checkpoints)("leaves a metadata store one, %s", async (how) => {
    const stores = new Stores();
    await stores.salvaged("meta", how, [(draft) => draft.put("k", new Uint8Array(1))]);

    await expect(stores.open(to, "queue")).rejects.toMatchObject({ code: "invalid-argument" });
    const saved = await stores.open(to, "meta");
    expect(saved.meta.get("k")).toBeDefined();
    await saved.close();
  });

  it.each(checkpoints)("leaves a metadata store one whose keys are all gone, %s", async (how) => {
    const stores = new Stores();
    await stores.salvaged("meta", how, [(draft) => draft.put("k", new Uint8Array(1)), (draft) => draft.delete("k")]);

    const saved = await stores.open(to, "meta");
    expect(saved.meta.revision).toBe(2n);
    await saved.close();
  });

  it.each([
    ["a metadata store one", "meta", []],
    ["a queue one", "queue", [(draft: Draft) => draft.createChannel("c"), (draft: Draft) => draft.destroyChannel("c")]],
  ] as const)("leaves %s of an earlier build, whose headers do not say it, without its checkpoint", async (_, keeps, changes) => {
    const stores = new Stores();
    await stores.salvaged(keeps, "of an earlier build, without it", [(draft) => draft.put("k", new Uint8Array(1)), ...changes]);

    const saved = await stores.open(to, keeps);
    expect(saved.meta.get("k")).toBeDefined();
    await saved.close();
  });

  it.each(checkpoints)("leaves a queue one that has metadata and never had a channel, %s", async (how) => {
    const stores = new Stores();
    await stores.salvaged("queue", how, [(draft) => draft.put("groups/g", new Uint8Array(1))]);

    await expect(stores.open(to, "meta")).rejects.toMatchObject({ code: "invalid-argument" });
    const saved = await stores.open(to, "queue");
    expect(saved.meta.get("groups/g")).toBeDefined();
    await saved.close();
  });
});
