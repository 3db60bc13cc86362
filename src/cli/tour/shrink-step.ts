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
/** When no more space has come back for this long, it was all. */
const quietMs = 500;

/** Resolves once the disk has shrunk, or said that it did not. */
export async function shrinkStep(mq: RocksMq, { dashboard, billing }: Groups, setting: Setting): Promise<void> {
  const { stage, clock, folder, signal } = setting;
  await stage.step(4, "Shrink", "the groups go on at their cursors; then trim what both have read");
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
  const after = await shrunk(folder, clock);
  const disk = stage.out.bold(`${bytes(before)} → ${bytes(after.bytes)}`);
  await stage.line(`   trimmed ${count(trimmed)} messages: disk ${disk} in ${duration(after.atMs - startedAt)}`);
}

/** Files go one after the other, right after the trim. Resolves when none has gone for a while, with the moment of the last. */
async function shrunk(folder: string, clock: Clock): Promise<{ readonly bytes: number; readonly atMs: number }> {
  let least = { bytes: await diskUsage(folder), atMs: clock.monotonicMs() };
  while (clock.monotonicMs() - least.atMs < quietMs) {
    await new Promise<void>((resolve) => clock.setTimer(5, resolve, { keepAlive: true }));
    const now = await diskUsage(folder);
    if (now < least.bytes) least = { bytes: now, atMs: clock.monotonicMs() };
  }
  return least;
}
