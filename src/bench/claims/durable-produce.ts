/**
 * Durable produce, as a share of what the bare disk does with the same bytes: as many messages a sync as there are producers, one write.
 *
 *     round:  thread · ceilings │ inline · ceilings │ …            each is compared with the ceilings measured right behind it
 */
import type { RocksMq } from "../../rocksmq/index.js";
import { BareDisk } from "../bare-disk.js";
import { type Claim, pause, type Setting, sized } from "../claim.js";
import { type Figure, type Goal, type LogHost, Rounds } from "../figure.js";
import { logHosts, openOn } from "../log-host.js";
import { dropAll, produceFor, type Turn } from "../producers.js";

/** A row. */
interface Row {
  readonly name: string;
  readonly producers: number;
  readonly messageBytes: number;
  readonly share: Goal;
  /** What else this load is to show. */
  readonly also: "ack times" | "loop delay" | undefined;
}

const rows: readonly Row[] = [
  { name: "one-producer", producers: 1, messageBytes: 1024, share: { better: "more", must: 0.6, stretch: 0.8 }, also: "ack times" },
  { name: "64-producers", producers: 64, messageBytes: 1024, share: { better: "more", must: 0.85, stretch: 0.95 }, also: "loop delay" },
  { name: "1024-producers", producers: 1024, messageBytes: 1024, share: { better: "more", must: 0.85, stretch: 0.95 }, also: "loop delay" },
  { name: "small-messages", producers: 64, messageBytes: 100, share: { better: "more", must: 0.6, stretch: 0.85 }, also: undefined },
];

/** Four of them, by the number of producers and the size of their messages. */
export const durableProduce: readonly Claim[] = rows.map((row) => {
  const { name, producers, messageBytes } = row;
  const who = producers === 1 ? "one producer" : `${producers.toLocaleString("en-US")} producers`;
  return {
    name,
    about: `durable produce: ${who}, one message of ${messageBytes === 1024 ? "1 KiB" : `${messageBytes} B`} in flight each`,
    run: (setting) => setting.scratch.use((folder) => new ProduceRun(row, setting).run(folder)),
  };
});

/** What a round gives. */
interface Samples {
  readonly overPrefilled: Rounds;
  readonly overAppended: Rounds;
  readonly perSecond: Rounds;
  readonly ackP50: Rounds;
  readonly ackP99: Rounds;
  readonly ackSpread: Rounds;
  readonly loopDelay: Rounds;
}

class ProduceRun {
  readonly #row: Row;
  readonly #setting: Setting;
  readonly #samples: Samples;

  constructor(row: Row, setting: Setting) {
    this.#row = row;
    this.#setting = setting;
    this.#samples = {
      overPrefilled: new Rounds("share of bare write + fdatasync, prefilled", "ratio", row.share),
      overAppended: new Rounds("share of bare write + fdatasync, appended", "ratio"),
      perSecond: new Rounds("messages a second", "per second"),
      ackP50: new Rounds("ack, p50", "ms"),
      ackP99: new Rounds("ack, p99", "ms"),
      ackSpread: new Rounds("ack, p99 / p50", "ratio", { better: "less", must: 5, stretch: 2 }),
      loopDelay: new Rounds("event-loop delay meanwhile, p99", "ms", { better: "less", must: 10, stretch: 4 }),
    };
  }

  async run(folder: string): Promise<readonly Figure[]> {
    const { clock } = this.#setting;
    const disk = await BareDisk.open(folder, clock);
    try {
      const queues: (readonly [LogHost, RocksMq])[] = [];
      try {
        for (const host of logHosts) queues.push([host, await openOn(host, { dir: `${folder}/${host}` })]);
        for (const [, mq] of queues) await mq.createChannel("c");
        const rounds = sized(this.#setting, { quick: 1, usual: 5 });
        for (let round = 1; round <= rounds; round += 1) {
          for (const [host, mq] of queues) await this.#round(host, mq, disk);
        }
      } finally {
        for (const [, mq] of queues) await mq.close();
      }
    } finally {
      disk.close();
    }
    return this.#figures();
  }

  async #round(host: LogHost, mq: RocksMq, disk: BareDisk): Promise<void> {
    const { producers, messageBytes } = this.#row;
    const measuredMs = sized(this.#setting, { quick: 300, usual: 800 });
    const turn = await produceFor(mq, { channels: ["c"], producers, messageBytes, measuredMs }, this.#setting);
    await dropAll(mq, ["c"]);
    // What is filled ahead in the background must not disturb the ceiling.
    await pause(this.#setting, 200);
    const ceilingMs = sized(this.#setting, { quick: 150, usual: 300 });
    const appended = disk.appended(producers * messageBytes, ceilingMs);
    const prefilled = disk.prefilled(producers * messageBytes, ceilingMs);
    this.#note(host, turn, { appended: appended * producers, prefilled: prefilled * producers });
  }

  #note(host: LogHost, turn: Turn, ceiling: { readonly appended: number; readonly prefilled: number }): void {
    const { overPrefilled, overAppended, perSecond, ackP50, ackP99, ackSpread, loopDelay } = this.#samples;
    overPrefilled.add(turn.perSecond / ceiling.prefilled, host);
    overAppended.add(turn.perSecond / ceiling.appended, host);
    perSecond.add(turn.perSecond, host);
    ackP50.add(turn.ackMs.p50, host);
    ackP99.add(turn.ackMs.p99, host);
    ackSpread.add(turn.ackMs.p99 / turn.ackMs.p50, host);
    loopDelay.add(turn.loopDelayP99Ms, host);
  }

  #figures(): readonly Figure[] {
    const { overPrefilled, overAppended, perSecond, ackP50, ackP99, ackSpread, loopDelay } = this.#samples;
    const { also } = this.#row;
    const more = also === "ack times" ? [ackP50, ackP99, ackSpread] : also === "loop delay" ? [ackP50, ackP99, loopDelay] : [];
    return [overPrefilled, overAppended, perSecond, ...more].map((rounds) => rounds.figure());
  }
}
