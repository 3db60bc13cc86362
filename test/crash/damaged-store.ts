/**
 * A store with something in every file, to be damaged in copies: several closed segments, an open one, cursors, a trimmed channel.
 */
import { silentLogger } from "../../src/base/logger.js";
import { noMetrics } from "../../src/base/metrics.js";
import type { Engine } from "../../src/storage/index.js";
import { ManualClock, MemoryVfs } from "../../src/testing/index.js";
import type { OpenEngine } from "./engine-run.js";
import { readEngine } from "./engine-state.js";
import { isRefusal } from "./script-run.js";
import { describeState, payloadOf, tagOf, type StoreState } from "./store-state.js";

/** The store, as it is without damage. */
export interface Specimen {
  readonly openEngine: OpenEngine;
  readonly disk: MemoryVfs;
  readonly state: StoreState;
  /** Where the last group stands, if the writer was killed behind it. */
  readonly lastGroup: { readonly path: string; readonly offset: number } | undefined;
}

/** What came of opening a damaged copy and reading everything in it. */
export type Verdict =
  | { readonly kind: "reported"; readonly file: string; readonly offset: number; readonly message: string }
  /** Everything is there, the same. */
  | { readonly kind: "harmless" }
  /** Something is gone or different, and nobody said so. */
  | { readonly kind: "silent"; readonly state: string };

/** Opens the store on this disk. */
export function openOn(vfs: MemoryVfs, openEngine: OpenEngine): Promise<Engine> {
  const options = { dir: "store", ids: "internal", durability: "sync", segmentBytes: 1024, prefill: "off" } as const;
  return openEngine({ ...options, clock: new ManualClock(1000), vfs, metrics: noMetrics, logger: silentLogger });
}

/** Makes one. "killed": the writer was, right after its last ack. */
export async function makeSpecimen(end: "closed" | "killed", openEngine: OpenEngine): Promise<Specimen> {
  const disk = new MemoryVfs();
  let lastGroup: Specimen["lastGroup"];
  disk.observe(({ op, path, detail }) => {
    if (op === "write" && path.endsWith(".seg")) lastGroup = { path, offset: Number(detail.split("@")[1]) };
  });
  const engine = await openOn(disk, openEngine);
  for (const name of ["a", "b"]) await engine.write((draft) => void draft.createChannel(name));
  for (let n = 0; n < 12; n += 1) {
    const [first, second] = [tagOf("a", n, 90), tagOf("b", n, 60 + n * 20)];
    await Promise.all([append(engine, "a", first), append(engine, "b", second)]);
    await engine.write((draft) => draft.put("g/a", Buffer.from(String(n))));
  }
  const state = await readEngine(engine);
  if (end === "closed") await engine.close();
  return { disk: disk.kill(), state, openEngine, lastGroup: end === "killed" ? lastGroup : undefined };
}

/** Opens a copy of the disk with `damage` done to it, and reads everything. */
export async function judge(specimen: Specimen, damage: (disk: MemoryVfs) => void): Promise<Verdict> {
  const disk = specimen.disk.kill();
  damage(disk);
  try {
    const engine = await openOn(disk, specimen.openEngine);
    const found = describeState(await readEngine(engine));
    await engine.close();
    return found === describeState(specimen.state) ? { kind: "harmless" } : { kind: "silent", state: found };
  } catch (error) {
    if (!isRefusal(error) || error.code !== "corrupt") throw error;
    const { file, offset } = error.details;
    return { kind: "reported", file: String(file), offset: Number(offset), message: error.message };
  }
}

/** Paths of its segment files, ascending. */
export function segmentsOf({ disk }: Specimen): string[] {
  return [...disk.snapshot().keys()].filter((path) => path.endsWith(".seg"));
}

/** Flips one bit of a file. */
export function flipBit(disk: MemoryVfs, path: string, bit: number): void {
  const bytes = disk.fileBytes(path);
  bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  disk.setFileBytes(path, bytes);
}

function append(engine: Engine, channel: string, tag: string): Promise<unknown> {
  return engine.write((draft) => draft.append(channel, [{ payload: payloadOf(tag) }]));
}
