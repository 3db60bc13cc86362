import { int64MessageId, int64Of } from "../../message/index.js";
import { ManualClock } from "../../testing/index.js";
import { backendConformance } from "../conformance/index.js";
import { MemoryBackend, memoryManifest } from "./memory-backend.js";

backendConformance({
  title: "memory",
  manifest: memoryManifest,
  histories: 60,
  open: async () => {
    const clock = new ManualClock();
    const backend = new MemoryBackend({ clock });
    const appendElsewhere = async (): Promise<void> => {
      await backend.createChannel("elsewhere", { ifNotExists: true });
      await (await backend.openWriter("elsewhere")).append([{ payload: new Uint8Array(1), properties: {} }]);
    };
    return {
      backend,
      another: () => Promise.reject(new Error("exempt")),
      reopen: () => Promise.reject(new Error("exempt")),
      nameOf: (label) => label,
      farBehind: (id) => int64MessageId("memory", int64Of(id) + 1_000n),
      // All channels have their ids from one counter.
      leaveGap: appendElsewhere,
      passTime: (ms) => clock.advance(ms),
      end: () => backend.close(),
    };
  },
});
