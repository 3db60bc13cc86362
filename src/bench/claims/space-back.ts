/** How long it takes until the disk has the space of the oldest nine tenths again, counted from the call of `trim`. */
import type { RocksMq } from "../../rocksmq/index.js";
import { type Claim, pause, type Setting, sized } from "../claim.js";
import { Rounds } from "../figure.js";
import { openOn } from "../log-host.js";
import { fill } from "../producers.js";
import { diskUsage } from "../scratch.js";

const messageBytes = 1024;
const mebibyte = 1024 * 1024;
/** Beyond that it is not coming. */
const longestMs = 10_000;

/** Ten segments' worth; the one in which the border lies has to stay. */
export const spaceBack: Claim = {
  name: "space-back",
  about: "drop the oldest 90 %",
  run: (setting) =>
    setting.scratch.use(async (dir) => {
      const back = new Rounds("until its space is back on the disk", "ms", { better: "less", must: 1_000, stretch: 50 });
      const share = new Rounds("of the bytes dropped, back by then", "percent");
      const segmentBytes = sized(setting, { quick: 16, usual: 64 }) * mebibyte;
      const mq = await openOn("thread", { dir, segmentBytes });
      try {
        await mq.createChannel("c");
        for (let round = 1; round <= sized(setting, { quick: 1, usual: 3 }); round += 1) {
          await fill(mq, { channels: ["c"], messages: (10 * segmentBytes) / messageBytes, messageBytes, batch: 1_000 }, setting);
          const { ms, freed, dropped } = await drop(mq, { dir, segmentBytes }, setting);
          back.add(ms);
          share.add((100 * freed) / dropped);
        }
      } finally {
        await mq.close();
      }
      return [back.figure(), share.figure()];
    }),
};

async function drop(
  mq: RocksMq,
  { dir, segmentBytes }: { readonly dir: string; readonly segmentBytes: number },
  setting: Setting,
): Promise<{ readonly ms: number; readonly freed: number; readonly dropped: number }> {
  const { clock } = setting;
  const { beginId, endId, bytes } = await mq.describeChannel("c");
  const before = await diskUsage(dir);
  const dropped = Number(bytes) * 0.9;
  const startedAt = clock.monotonicMs();
  await mq.trim("c", beginId + ((endId - beginId) * 9n) / 10n);
  for (;;) {
    const freed = before - (await diskUsage(dir));
    const ms = clock.monotonicMs() - startedAt;
    if (freed >= dropped - segmentBytes) return { ms, freed, dropped };
    if (ms > longestMs) return { ms: NaN, freed, dropped };
    await pause(setting, 2);
  }
}
