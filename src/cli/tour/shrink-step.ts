/** Step 4: the groups go on where they had stopped; then what both have read is trimmed, and the disk shrinks. */
import type { RocksMq } from "../../rocksmq/index.js";
import type { Clock } from "../../base/clock.js";
import { bytes, count, duration } from "../figures.js";
import { airports } from "./flights.js";
import { diskUsage } from "./folder.js";
import { type Groups, lagOf, readAll } from "./read-step.js";
import type { Setting } from "./tour-setting.js";

/** What billing has read of each channel when the trim comes. */
const billingShare = 0.85;
/** The space comes back right after the trim; how long we look for it. */
const longestMs = 5_000;

/** Resolves once the disk has shrunk, or said that it did not. */
export async function shrinkStep(mq: RocksMq, { dashboard, billing }: Groups, setting: Setting): Promise<void> {
  const { stage, clock, folder, signal } = setting;
  await stage.step(4, "Shrink", "both groups go on at their cursors; then what both have read is trimmed");
  const live = (): string[] => [dashboard, billing].map(({ group, total }) => `   ${group.padEnd(9)}  ${count(total)} messages read`);
  await stage.during(Promise.all([readAll(mq, dashboard, 1, signal), readAll(mq, billing, billingShare, signal)]), live);
  for (const reader of [dashboard, billing]) {
    await stage.line(
      `   ${reader.group.padEnd(9)}  lag ${count(await lagOf(mq, reader)).padStart(7)}   no message missed, none seen twice`,
    );
  }

  const before = await diskUsage(folder);
  const startedAt = clock.monotonicMs();
  let trimmed = 0n;
  for (const airport of airports) {
    const { groups, messages, beginId } = await mq.describeChannel(airport);
    await mq.trim(
      airport,
      groups.reduce((least, { currentId }) => (currentId < least ? currentId : least), groups[0]?.currentId ?? beginId),
    );
    trimmed += messages - (await mq.describeChannel(airport)).messages;
  }
  const after = await shrunk(folder, before, clock);
  const ms = clock.monotonicMs() - startedAt;
  await stage.line(
    `   trimmed ${count(trimmed)} messages: disk ${stage.out.bold(`${bytes(before)} → ${bytes(after)}`)} in ${duration(ms)}`,
  );
}

/** Looks until less is used than before and two looks say the same. */
async function shrunk(folder: string, before: number, clock: Clock): Promise<number> {
  const until = clock.monotonicMs() + longestMs;
  let last = before;
  for (;;) {
    const now = await diskUsage(folder);
    if ((now === last && now < before) || clock.monotonicMs() > until) return now;
    last = now;
    await new Promise<void>((resolve) => clock.setTimer(5, resolve, { keepAlive: true }));
  }
}
