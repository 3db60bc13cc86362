/**
 * What a terminal shows of a stream: how far it is complete, and how each channel stands.
 *
 *     watermark 2026-01-31T08:00:00.000Z, 0.4 s behind · 12 packs · 1,234 messages
 *     CHANNEL  MESSAGES  LATE  LAST MESSAGE              LAG
 *     ATL           617     0  2026-01-31T07:59:59.900Z    0
 *
 * Pure: it is told what came, and gives lines.
 */
import { type MsgPack, type MsgPosition, physicalMs, type TimeTick } from "../../message/index.js";
import { count, counted, duration, time } from "../figures.js";
import { tableLines } from "../table.js";

interface Row {
  messages: number;
  late: number;
  last: TimeTick | undefined;
  position: MsgPosition | undefined;
  /** Records stored and not read yet; undefined: not known. */
  lag: bigint | undefined;
}

/** Counts packs. */
export class TailBoard {
  readonly #rows: ReadonlyMap<string, Row>;
  #packs = 0;
  #watermark: TimeTick | undefined;

  constructor(channels: readonly string[]) {
    this.#rows = new Map(
      channels.map((channel) => [channel, { messages: 0, late: 0, last: undefined, position: undefined, lag: undefined }]),
    );
  }

  took({ endTs, msgs, endPositions }: MsgPack): void {
    this.#packs += 1;
    this.#watermark = endTs;
    for (const { position, endTs: at, late } of msgs) {
      const row = this.#rows.get(position?.channelName ?? "");
      if (row === undefined) continue;
      row.messages += 1;
      if (late === true) row.late += 1;
      if (row.last === undefined || at > row.last) row.last = at;
    }
    for (const position of endPositions) {
      const row = this.#rows.get(position.channelName);
      if (row !== undefined) row.position = position;
    }
  }

  /** How far a channel was read; undefined before its first record. */
  positionOf(channel: string): MsgPosition | undefined {
    return this.#rows.get(channel)?.position;
  }

  lags(channel: string, lag: bigint): void {
    const row = this.#rows.get(channel);
    if (row !== undefined) row.lag = lag;
  }

  /** The board as it is now. */
  lines(nowMs: number, columns: number): string[] {
    const head = [
      { title: "CHANNEL" },
      { title: "MESSAGES", figures: true },
      { title: "LATE", figures: true },
      { title: "LAST MESSAGE" },
      { title: "LAG", figures: true },
    ];
    const rows = [...this.#rows].map(([channel, { messages, late, last, lag }]) => {
      return [
        channel,
        count(messages),
        count(late),
        last === undefined ? "-" : time(physicalMs(last)),
        lag === undefined ? "-" : count(lag),
      ];
    });
    return [this.#summary(nowMs), ...tableLines(head, rows, columns)];
  }

  #summary(nowMs: number): string {
    const messages = [...this.#rows.values()].reduce((sum, row) => sum + row.messages, 0);
    const counts = `${counted(this.#packs, "pack")} · ${counted(messages, "message")}`;
    if (this.#watermark === undefined) return `no watermark yet: not every channel has shown a tick · ${counts}`;
    const watermarkMs = physicalMs(this.#watermark);
    return `watermark ${time(watermarkMs)}, ${duration(Math.max(0, nowMs - watermarkMs))} behind · ${counts}`;
  }
}
