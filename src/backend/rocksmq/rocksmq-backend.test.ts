import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { int64MessageId, int64Of } from "../../message/index.js";
import { openRocksMq, type RocksMqOptions } from "../../rocksmq/index.js";
import { ManualClock, MemoryVfs } from "../../testing/index.js";
import { backendConformance, type LogUnderTest } from "../conformance/index.js";
import { RocksMqBackend, rocksMqManifest } from "./rocksmq-backend.js";

interface Extras {
  readonly clean?: () => void;
  /** The next write to the disk fails; whether it did. */
  readonly failWrite?: () => () => boolean;
}

async function openLog(options: RocksMqOptions, { clean, failWrite }: Extras): Promise<LogUnderTest> {
  const clock = new ManualClock();
  const open = () => openRocksMq({ ...options, clock, segmentBytes: 256 * 1024, prefill: "off" });
  let mq = await open();
  return {
    backend: new RocksMqBackend(mq),
    another: async () => new RocksMqBackend(mq),
    reopen: async () => {
      await mq.close();
      mq = await open();
      return new RocksMqBackend(mq);
    },
    nameOf: (label) => label,
    farBehind: (id) => int64MessageId("rocksmq", int64Of(id) + 1_000n),
    // A batch that could not be written takes its ids along.
    leaveGap: async (label) => {
      const failed = failWrite?.();
      if (failed === undefined) return;
      await expect(mq.produce(label, [{ payload: new Uint8Array(1) }])).rejects.toMatchObject({ effect: "none" });
      expect(failed()).toBe(true);
    },
    passTime: (ms) => clock.advance(ms),
    end: async () => {
      await mq.close();
      clean?.();
    },
  };
}

backendConformance({
  title: "rocksmq on a memory disk",
  manifest: rocksMqManifest,
  histories: 20,
  open: () => {
    const vfs = new MemoryVfs();
    const failWrite = () => {
      const full = vfs.failNext({ op: "write", path: /\.seg$/, code: "ENOSPC" });
      return () => full.fired();
    };
    return openLog({ dir: "/queue", vfs }, { failWrite });
  },
});

backendConformance({
  title: "rocksmq on this disk",
  manifest: rocksMqManifest,
  histories: 2,
  open: () => {
    const dir = mkdtempSync(join(tmpdir(), "tidemark-backend-"));
    return openLog({ dir }, { clean: () => rmSync(dir, { recursive: true, force: true }) });
  },
});
