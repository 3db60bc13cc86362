/** What sixteen channels, interleaved, hold of the disk after fifteen of them were destroyed, beside a message that nobody reads. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { RocksMq } from "../../rocksmq/index.js";
import { type Claim, pause, sized } from "../claim.js";
import { Rounds } from "../figure.js";
import { openOn } from "../log-host.js";
import { fill } from "../producers.js";
import { allocated } from "../scratch.js";

const channels = Array.from({ length: 16 }, (_, at) => `c${at}`);
const messageBytes = 1024;
const mebibyte = 1024 * 1024;
/** By then it must have come to the ratio that is promised. */
const longestMs = 10_000;
const promised = 2;

/** Sixty-four segments' worth, so that four are left. */
export const compaction: Claim = {
  name: "compaction",
  about: "16 interleaved channels, 15 destroyed: closed segments beside what lives",
  run: (setting) =>
    setting.scratch.use(async (dir) => {
      const segmentBytes = sized(setting, { quick: 4, usual: 8 }) * mebibyte;
      const before = new Rounds("disk / live bytes right after the destroys", "ratio");
      const after = new Rounds("disk / live bytes 10 s later", "ratio", { better: "less", must: promised, stretch: 1.3 });
      const until = new Rounds("until it is twice the live bytes", "ms", { better: "less", must: longestMs, stretch: 5_000 });
      const mq = await openOn("thread", { dir, segmentBytes });
      try {
        for (const name of ["lonely", ...channels]) await mq.createChannel(name);
        await mq.createConsumerGroup("g");
        await mq.seekToLatest("g", "lonely");
        await mq.produce("lonely", [{ payload: new Uint8Array(20) }]);
        await fill(mq, { channels, messages: (4 * segmentBytes) / messageBytes, messageBytes, batch: 100 }, setting);
        for (const name of channels.slice(1)) await mq.destroyChannel(name);
        before.add(await ratio(mq, dir));
        const { clock } = setting;
        for (const startedAt = clock.monotonicMs(); clock.monotonicMs() - startedAt < longestMs;) {
          await pause(setting, 50);
          if ((await ratio(mq, dir)) <= promised && until.isEmpty) until.add(clock.monotonicMs() - startedAt);
        }
        if (until.isEmpty) until.add(NaN);
        after.add(await ratio(mq, dir));
      } finally {
        await mq.close();
      }
      return [before.figure(), after.figure(), until.figure()];
    }),
};

/** Of the segments that are closed for good: the last one is written to, and one more may be filled ahead. */
async function ratio(mq: RocksMq, dir: string): Promise<number> {
  const live = [await mq.describeChannel("lonely"), await mq.describeChannel("c0")].reduce((sum, { bytes }) => sum + Number(bytes), 0);
  const segments = (await readdir(dir)).filter((name) => name.endsWith(".seg")).sort();
  const sizes = await Promise.all(segments.map((name) => allocated(join(dir, name))));
  return sizes.slice(0, -2).reduce((sum, size) => sum + size, 0) / live;
}
