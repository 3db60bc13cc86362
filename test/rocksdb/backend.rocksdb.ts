/** The laws of the back-end port over a queue on the RocksDB engine. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backendConformance } from "../../src/backend/conformance/index.js";
import { rocksMqManifest } from "../../src/backend/rocksmq/rocksmq-backend.js";
import { rocksMqLog } from "../rocksmq/log-under-test.js";

backendConformance({
  title: "rocksmq on RocksDB",
  manifest: rocksMqManifest,
  histories: 10,
  open: async () => {
    const home = await mkdtemp(join(tmpdir(), "tidemark-rocksdb-backend-"));
    // Its ids follow on each other as long as it is not killed: there is no gap to leave.
    return rocksMqLog({ dir: join(home, "queue"), engine: "rocksdb" }, { clean: () => rm(home, { recursive: true, force: true }) });
  },
});
