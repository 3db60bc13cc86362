/**
 * Durable produce into the RocksDB engine, as a share of what the bare disk does with the same bytes, appended: RocksDB's own log grows so. And
 * of what the binding does with the same batches, in a process that has nothing else to do: no engine over it comes further.
 */
import { isTidemarkError } from "../../base/errors.js";
import { openRocksMq, type RocksMq } from "../../rocksmq/index.js";
import { BareDisk } from "../bare-disk.js";
import { BareRocksDb } from "../bare-rocksdb.js";
import { type Claim, pause, type Setting, sized } from "../claim.js";
import { type Goal, Rounds } from "../figure.js";
import { dropAll, produceFor } from "../producers.js";

const messageBytes = 1024;
const rows: readonly { readonly producers: number; readonly share: Goal }[] = [
  { producers: 64, share: { better: "more", must: 0.55, stretch: 0.65 } },
  { producers: 1024, share: { better: "more", must: 0.4, stretch: 0.5 } },
];

/** Skipped where the optional peer is not installed. */
export const rocksDbEngine: Claim = {
  name: "rocksdb",
  about: "durable produce into the RocksDB engine, one message of 1 KiB in flight a producer",
  run: (setting) =>
    setting.scratch.use(async (folder) => {
      const mq = await openOrNot(`${folder}/queue`);
      if (mq === undefined)
        return { skipped: "@nxtedition/rocksdb is not installed, or has no binary for this machine: npm install it beside tidemark" };
      const disk = await BareDisk.open(`${folder}/bare`, setting.clock);
      const binding = await BareRocksDb.open(`${folder}/binding`, setting.clock);
      try {
        await mq.createChannel("c");
        const figures = [];
        for (const row of rows) figures.push(...(await measure(row, { mq, disk, binding }, setting)));
        return figures.map((rounds) => rounds.figure());
      } finally {
        disk.close();
        await binding.close();
        await mq.close();
      }
    }),
};

async function openOrNot(dir: string): Promise<RocksMq | undefined> {
  try {
    return await openRocksMq({ dir, engine: "rocksdb" });
  } catch (error) {
    if (isTidemarkError(error, "invalid-argument")) return undefined;
    throw error;
  }
}

interface Measured {
  readonly mq: RocksMq;
  readonly disk: BareDisk;
  readonly binding: BareRocksDb;
}

async function measure({ producers, share }: (typeof rows)[number], { mq, disk, binding }: Measured, setting: Setting): Promise<Rounds[]> {
  const who = `${producers.toLocaleString("en-US")} producers`;
  const overAppended = new Rounds(`${who}: share of the appended ceiling`, "ratio", share);
  const overBinding = new Rounds(`${who}: share of the bare binding`, "ratio");
  const perSecond = new Rounds(`${who}: messages a second`, "per second");
  const load = { channels: ["c"], producers, messageBytes, measuredMs: sized(setting, { quick: 300, usual: 800 }), leadInMs: 300 };
  const ceilingMs = sized(setting, { quick: 150, usual: 300 });
  for (let round = 1; round <= sized(setting, { quick: 1, usual: 5 }); round += 1) {
    const turn = await produceFor(mq, load, setting);
    await dropAll(mq, ["c"]);
    // What RocksDB sorts in the background must not disturb the ceilings.
    await pause(setting, 200);
    overAppended.add(turn.perSecond / (disk.appended(producers * messageBytes, ceilingMs) * producers));
    overBinding.add(turn.perSecond / (binding.perSecond(producers, messageBytes, load.measuredMs) * producers));
    await pause(setting, 200);
    perSecond.add(turn.perSecond);
  }
  return [overAppended, overBinding, perSecond];
}
