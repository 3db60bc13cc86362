/** The laws of the back-end port over a queue on the RocksDB engine. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backendConformance } from "../../src/backend/conformance/index.js";
import { RocksMqBackend, rocksMqManifest } from "../../src/backend/rocksmq/rocksmq-backend.js";
import { int64MessageId, int64Of } from "../../src/message/index.js";
import { openRocksMq } from "../../src/rocksmq/index.js";
import { ManualClock } from "../../src/testing/index.js";

backendConformance({
  title: "rocksmq on RocksDB",
  manifest: rocksMqManifest,
  histories: 10,
  open: async () => {
    const home = await mkdtemp(join(tmpdir(), "tidemark-rocksdb-backend-"));
    const clock = new ManualClock();
    const open = () => openRocksMq({ dir: join(home, "queue"), engine: "rocksdb", clock });
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
      // Its ids follow on each other as long as it is not killed.
      leaveGap: () => Promise.resolve(),
      passTime: (ms) => clock.advance(ms),
      end: async () => {
        await mq.close();
        await rm(home, { recursive: true, force: true });
      },
    };
  },
});
