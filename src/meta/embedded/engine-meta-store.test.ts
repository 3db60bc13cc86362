import { describe, expect, it } from "vitest";
import { silentLogger } from "../../base/logger.js";
import { noMetrics } from "../../base/metrics.js";
import { type Engine, type EngineOptions, openMemoryEngine, openSegmentEngine } from "../../storage/index.js";
import { ManualClock } from "../../testing/manual-clock.js";
import { MemoryVfs } from "../../testing/memory-vfs.js";
import { metaConformance, type MetaUnderTest } from "../conformance/index.js";
import { EngineMetaStore } from "./engine-meta-store.js";

metaConformance(embeddedIn("memory", openMemoryEngine));
metaConformance(embeddedIn("a segment engine", openSegmentEngine));

describe("EngineMetaStore", () => {
  it("keeps its keys where changes of the engine find them, in the order of calls", async () => {
    const engine = await openEngine(openMemoryEngine);
    const store = new EngineMetaStore(engine);

    const put = store.put("k", Buffer.from("v"));
    const found = engine.write((draft) => draft.get("k"));

    expect(await found).toMatchObject({ key: "k", modRevision: await put });
    await engine.close();
  });

  it("takes writes in call order, awaited or not", async () => {
    const engine = await openEngine(openMemoryEngine);
    const store = new EngineMetaStore(engine);

    const revisions = [store.put("k", Buffer.from("1")), store.put("k", Buffer.from("2"))];
    const deleted = store.delete("k");
    const last = store.put("k", Buffer.from("3"));

    expect(await Promise.all([...revisions, last])).toEqual([1n, 2n, 4n]);
    expect(await deleted).toBe(true);
    expect((await store.get("k"))?.value).toEqual(new Uint8Array(Buffer.from("3")));
    await engine.close();
  });

  it("makes no revision where nothing is written", async () => {
    const engine = await openEngine(openMemoryEngine);
    const store = new EngineMetaStore(engine);
    const revision = await store.put("k", Buffer.from("v"));

    const failed = await store.txn({ if: [{ key: "k", modRevision: 0n }], then: [{ op: "delete", key: "k" }] });
    const idle = await store.txn({ if: [], then: [{ op: "delete", key: "nothing" }] });
    await store.delete("nothing");

    expect(failed).toEqual({ succeeded: false, revision });
    expect(idle).toEqual({ succeeded: true, revision });
    expect((await store.range("")).revision).toBe(revision);
    await engine.close();
  });

  it("leaves the engine open when it closes", async () => {
    const engine = await openEngine(openMemoryEngine);
    await new EngineMetaStore(engine).close();

    await engine.write((draft) => draft.put("k", Buffer.from("v")));

    expect(engine.meta.get("k")).toBeDefined();
    await engine.close();
  });
});

function embeddedIn(name: string, open: Open): MetaUnderTest {
  return {
    name: `embedded in ${name}`,
    keyspace: async () => {
      const engine = await openEngine(open);
      return { connect: () => Promise.resolve(new EngineMetaStore(engine)), dispose: () => engine.close() };
    },
  };
}

type Open = (options: EngineOptions) => Promise<Engine>;

function openEngine(open: Open): Promise<Engine> {
  return open({
    dir: "/store",
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
