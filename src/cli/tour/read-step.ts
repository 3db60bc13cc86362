/** Step 2: two groups at different speeds, each with its own cursors. */
import type { RocksMq } from "../../rocksmq/index.js";
import { count, rate } from "../figures.js";
import { airports } from "./flights.js";
import { GroupReader } from "./groups.js";
import type { Load } from "./load.js";
import type { Setting } from "./tour-setting.js";

/** Where billing pauses: a share of each channel. */
const billingShare = 0.5;

/** Both groups, as far as they have come. */
export interface Groups {
  readonly dashboard: GroupReader;
  readonly billing: GroupReader;
}

/** Resolves once dashboard has read everything and billing its share. */
export async function readStep(mq: RocksMq, load: Load, written: number, setting: Setting): Promise<Groups> {
  const { stage, clock, signal } = setting;
  await stage.step(2, "Read", "two groups on their own cursors; every byte compared");
  const dashboard = new GroupReader("dashboard", load);
  const billing = new GroupReader("billing", load);
  for (const { group } of [dashboard, billing]) await mq.createConsumerGroup(group);

  const pace = new Map<GroupReader, number>();
  const startedAt = clock.monotonicMs();
  const runs = [dashboard, billing].map(async (reader) => {
    await readAll(mq, reader, billingShare, signal);
    pace.set(reader, clock.monotonicMs() - startedAt);
  });
  const line = (reader: GroupReader, lag: bigint | number, remark: string): string => {
    const perSecond = (reader.total * 1000) / (pace.get(reader) ?? clock.monotonicMs() - startedAt);
    return `   ${reader.group.padEnd(9)}  ${rate(perSecond).padStart(9)} msg/s   lag ${count(lag).padStart(7)}   ${remark}`;
  };
  const live = (): string[] => [dashboard, billing].map((reader) => line(reader, written - reader.total, ""));
  await stage.during(Promise.all(runs), live);
  await stage.line(line(dashboard, await lagOf(mq, dashboard), "1,000 at a time; reading acks"));
  await stage.line(line(billing, await lagOf(mq, billing), "100 at a time, each ack synced"));
  return { dashboard, billing };
}

/** Reads on all channels at once; billing until this share of each. */
export async function readAll(mq: RocksMq, reader: GroupReader, share: number, signal: AbortSignal): Promise<void> {
  const ends = await Promise.all(airports.map(async (airport) => Number((await mq.describeChannel(airport)).messages)));
  await Promise.all(airports.map((airport, at) => reader.run(mq, airport, { until: Math.floor((ends[at] ?? 0) * share), signal })));
}

/** What the queue itself says, over all channels. */
export async function lagOf(mq: RocksMq, { group }: GroupReader): Promise<bigint> {
  let lag = 0n;
  for (const airport of airports) {
    lag += (await mq.describeChannel(airport)).groups.find((one) => one.group === group)?.lag ?? 0n;
  }
  return lag;
}
