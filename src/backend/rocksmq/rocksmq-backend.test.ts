import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { rocksMqLog } from "../../../test/rocksmq/log-under-test.js";
import type { RocksMq } from "../../rocksmq/index.js";
import { MemoryVfs } from "../../testing/index.js";
import { backendConformance } from "../conformance/index.js";
import { rocksMqManifest } from "./rocksmq-backend.js";

const small = { segmentBytes: 256 * 1024, prefill: "off" } as const;

/** A batch that could not be written takes its ids along. */
async function failToProduce(vfs: MemoryVfs, mq: RocksMq, channel: string): Promise<void> {
  const full = vfs.failNext({ op: "write", path: /\.seg$/, code: "ENOSPC" });
  await expect(mq.produce(channel, [{ payload: new Uint8Array(1) }])).rejects.toMatchObject({ effect: "none" });
  expect(full.fired()).toBe(true);
}

backendConformance({
  title: "rocksmq on a memory disk",
  manifest: rocksMqManifest,
  histories: 20,
  open: () => {
    const vfs = new MemoryVfs();
    return rocksMqLog({ dir: "/queue", vfs, ...small }, { leaveGap: (mq, channel) => failToProduce(vfs, mq, channel) });
  },
});

backendConformance({
  title: "rocksmq on this disk",
  manifest: rocksMqManifest,
  histories: 2,
  open: () => {
    const dir = mkdtempSync(join(tmpdir(), "tidemark-backend-"));
    return rocksMqLog({ dir, ...small }, { clean: () => rmSync(dir, { recursive: true, force: true }) });
  },
});
