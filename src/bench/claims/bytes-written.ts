/** How many bytes go to the disk for a byte of payload: by 64 producers of 1 KiB, with nothing filled ahead. */
import { type Claim, sized } from "../claim.js";
import { Rounds } from "../figure.js";
import { bytesWritten } from "../kernel-figures.js";
import { openOn } from "../log-host.js";
import { produceFor } from "../producers.js";

/** What was handed to `write`, and beside it what the kernel made of it. */
export const bytes: Claim = {
  name: "bytes-written",
  about: "bytes written for a byte of payload: 64 producers of 1 KiB, prefill off",
  run: async (setting) => {
    const calls = new Rounds("handed to write()", "ratio", { better: "less", must: 1.1, stretch: 1.02 });
    const pages = new Rounds("whole pages of files (/proc/self/io)", "ratio");
    const disk = new Rounds("the disk, everybody's (/proc/diskstats)", "ratio");
    const rounds = sized(setting, { quick: 1, usual: 3 });
    for (let round = 1; round <= rounds; round += 1) {
      const sample = await setting.scratch.use(async (dir) => {
        const mq = await openOn("thread", { dir, prefill: "off" });
        try {
          await mq.createChannel("c");
          const before = await bytesWritten(dir);
          const load = {
            channels: ["c"],
            producers: 64,
            messageBytes: 1024,
            leadInMs: 0,
            measuredMs: sized(setting, { quick: 500, usual: 1_500 }),
          };
          const { messages } = await produceFor(mq, load, setting);
          const after = await bytesWritten(dir);
          // Those whose acks came behind the end were written too.
          return { before, after, payload: Number((await mq.describeChannel("c")).messages) * 1024, messages };
        } finally {
          await mq.close();
        }
      });
      const { before, after, payload } = sample;
      if (before === undefined || after === undefined) return { skipped: "this system does not count the bytes that a process writes" };
      calls.add((after.calls - before.calls) / payload);
      pages.add((after.pages - before.pages) / payload);
      if (before.disk !== undefined && after.disk !== undefined) disk.add((after.disk - before.disk) / payload);
    }
    return [calls, pages, disk].map((one) => one.figure());
  },
};
