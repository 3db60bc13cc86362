import { describe, expect, it } from "vitest";
import { silentLogger } from "../../base/logger.js";
import { noMetrics } from "../../base/metrics.js";
import { type Engine, openMemoryEngine } from "../../storage/index.js";
import { ManualClock } from "../../testing/manual-clock.js";
import { MemoryVfs } from "../../testing/memory-vfs.js";
import { metaConformance } from "../conformance/index.js";
import { EngineMetaStore } from "./engine-meta-store.js";

metaConformance({
  name: "embedded",
  keyspace: async () => {
    const engine = await openEngine();
    return { connect: () => Promise.resolve(new EngineMetaStore(engine)), dispose: () => engine.close() };
  },
});

describe("EngineMetaStore", () => {
  it("keeps its keys where changes of the engine find them, in the order of calls", async () => {
    const engine = await openEngine();
    const store = new EngineMetaStore(engine);

    const put = store.put("k", Buffer.from("v"));
    const found = engine.write((draft) => draft.get("k"));

    expect(await found).toMatchObject({ key: "k", modRevision: await put });
    await engine.close();
  });

  it("leaves the engine open when it closes", async () => {
    const engine = await openEngine();
    await new EngineMetaStore(engine).close();

    await engine.write((draft) => draft.put("k", Buffer.from("v")));

    expect(engine.meta.get("k")).toBeDefined();
    await engine.close();
  });
});

function openEngine(): Promise<Engine> {
  return openMemoryEngine({
    dir: "/nowhere",
    ids: "internal",
    durability: "sync",
    segmentBytes: 1024 * 1024,
    prefill: "off",
    clock: new ManualClock(),
    vfs: new MemoryVfs(),
    metrics: noMetrics,
    logger: silentLogger,
  });
}
