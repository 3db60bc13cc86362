/**
 * A log as somebody finds it who only looks: followed as an open would, as far as it goes, with what is bad on the way.
 *
 *     look ▸ bad at A ▸ look ▸ bad at B ▸ look ▸ bad at B: it is bad          (a program may be writing meanwhile)
 */
import { isTidemarkError } from "../../base/errors.js";
import type { Vfs } from "../../base/vfs.js";
import { whatIsWrong } from "./corrupt.js";
import { countFrom } from "./channel-lookup.js";
import { ExtentReader } from "./extent-reader.js";
import { IndexStore } from "./index-store.js";
import { ReadBudget } from "./read-budget.js";
import { replayLog, type Replayed } from "./replay.js";
import { mostLooks } from "./second-look.js";
import { SegmentFiles } from "./segment-files.js";
import type { BadPlace } from "./segment-verify.js";
import type { InspectedChannel } from "./store-report.js";
import { surveyStore, type Survey } from "./survey.js";

/** How far it goes: no survey, no store or none that hangs together; no replay, a log that can't be followed. */
export interface FollowedLog {
  survey: Survey | undefined;
  replayed: Replayed | undefined;
  readonly channels: InspectedChannel[];
  readonly bad: BadPlace[];
}

/** Follows the log in `dir`. Places are bad that two looks running found bad. @throws `unsupported-format` */
export async function followLog(vfs: Vfs, dir: string): Promise<FollowedLog> {
  let before: readonly BadPlace[] = [];
  for (let looks = 1; ; looks++) {
    const log = await followOnce(vfs, dir);
    const isSure = log.bad.every((place) => before.some((one) => isSamePlace(one, place)));
    if (isSure || looks === mostLooks) return log;
    before = log.bad;
  }
}

/** Whether both say the same of the same place. */
export function isSamePlace(one: BadPlace, other: BadPlace): boolean {
  return one.file === other.file && one.offset === other.offset && one.what === other.what;
}

async function followOnce(vfs: Vfs, dir: string): Promise<FollowedLog> {
  const log: FollowedLog = { survey: undefined, replayed: undefined, channels: [], bad: [] };
  await noting(log.bad, async () => {
    log.survey = await surveyStore(vfs, dir);
    if (log.survey !== undefined) log.replayed = await replayLog(vfs, dir, log.survey);
  });
  if (log.survey !== undefined && log.replayed !== undefined)
    await countChannels(vfs, dir, log, log.survey.checkpoint.storeId, log.replayed);
  return log;
}

async function countChannels(vfs: Vfs, dir: string, log: FollowedLog, storeId: bigint, { state, indexes }: Replayed): Promise<void> {
  const files = new SegmentFiles(vfs, dir);
  const store = new IndexStore(vfs, dir, storeId, indexes);
  const source = {
    extents: new ExtentReader(files, storeId),
    budget: new ReadBudget(0),
    index: (run: { segment: number }) => store.load(run.segment, state.segments.get(run.segment)?.end ?? 0),
    path: (segment: number) => files.path(segment),
    surely: <T>(look: () => Promise<T>) => look(),
    check: () => undefined,
  };
  try {
    for (const channel of state.channels()) {
      const { name, beginId, endId, bytes } = channel;
      let messages = 0;
      await noting(log.bad, async () => {
        messages = await countFrom(channel, source, beginId);
      });
      log.channels.push({ name, beginId, endId, messages, bytes });
    }
  } finally {
    await files.close();
  }
}

async function noting(bad: BadPlace[], step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!isTidemarkError(error, "corrupt")) throw error;
    bad.push({ file: error.details.file, offset: error.details.offset, what: whatIsWrong(error) });
  }
}
