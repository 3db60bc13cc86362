/**
 * What each function of `tidemark/meta` answers, for the test that calls it with anything.
 */
import { noMetrics } from "../../src/base/metrics.js";
import { silentLogger } from "../../src/base/logger.js";
import { EngineMetaStore } from "../../src/meta/embedded/engine-meta-store.js";
import { type MetaStore, openChannelService, openIdAllocator, openTimestampOracle } from "../../src/meta/index.js";
import { openMemoryEngine } from "../../src/storage/index.js";
import { ManualClock, MemoryVfs } from "../../src/testing/index.js";
import type { Kind, Row } from "./any-argument.js";

/** Where the rows of the door's openers keep what they open. */
export interface MetaPlace {
  readonly meta: MetaStore;
  readonly dir: string;
}

const optional: readonly Kind[] = ["undefined", "object"];
const clock = new ManualClock(1);
const value = new Uint8Array(1);
const options = { signal: new AbortController().signal };
const txn = { if: [{ key: "k", modRevision: 0n }], then: [{ op: "put", key: "k", value }], else: [{ op: "delete", key: "k" }] };
const owner = { role: "r", address: "a", descriptionText: "d" };
const store = { createChannel: (): Promise<void> => Promise.resolve(), destroyChannel: (): Promise<void> => Promise.resolve() };

/** A store in memory. */
export async function memoryMeta(): Promise<MetaStore> {
  const how = { dir: "/meta", ids: "internal", durability: "sync", segmentBytes: 1024 * 1024, prefill: "off" } as const;
  const engine = await openMemoryEngine({ ...how, clock, vfs: new MemoryVfs(), metrics: noMetrics, logger: silentLogger });
  return new EngineMetaStore(engine, () => engine.close());
}

/** Objects of the door that have methods, by what their rows are called. */
export async function metaInstances(meta: MetaStore): Promise<Readonly<Record<string, object>>> {
  return {
    ids: await openIdAllocator({ meta, key: "own ids", clock }),
    oracle: await openTimestampOracle({ meta, key: "own ticks", clock }),
    service: await openChannelService({ meta, store }),
    // Last, since its close ends the others.
    store: meta,
  };
}

/** By the name of the export, or "instance.method". */
export function metaRows({ meta, dir }: MetaPlace): Readonly<Record<string, Row>> {
  const channels = { good: [{ channelNames: [] }] };
  return {
    openEmbeddedMeta: { good: [{ dir, clock }] },
    openChannelService: { good: [{ meta, store, namePrefix: "channel" }] },
    openIdAllocator: { good: [{ meta, key: "ids", clock }] },
    openTimestampOracle: { good: [{ meta, key: "ticks", clock }] },

    "store.get": { good: ["k", options], takes: [[], optional] },
    "store.range": { good: ["k", { ...options, limit: 1, after: "k" }], takes: [[], optional] },
    "store.put": { good: ["k", value, options], takes: [[], [], optional] },
    "store.delete": { good: ["k", options], takes: [[], optional] },
    "store.txn": { good: [txn, options], takes: [[], optional] },
    "store.close": { good: [] },
    "ids.alloc": { good: [1] },
    "ids.allocOne": { good: [] },
    "ids.updateId": { good: [] },
    "ids.close": { good: [] },
    "oracle.allocate": { good: [1, options], takes: [["undefined"], optional] },
    "oracle.latest": { good: [] },
    "oracle.close": { good: [] },
    "service.createChannels": { good: [{ ownerDescription: owner, numChannels: 1 }] },
    "service.destroyChannels": channels,
    "service.destoryChannels": channels,
    "service.describeChannels": channels,
    "service.settle": { good: [] },
    "service.close": { good: [] },
  };
}
