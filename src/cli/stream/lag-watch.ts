/**
 * How far behind the channels of a board are, looked at again and again.
 */
import type { Clock } from "../../base/clock.js";
import { int64Of, type MsgPosition } from "../../message/index.js";
import type { StreamQueue } from "../../rocksmq/index.js";
import type { TailBoard } from "./tail-board.js";

/** Between two looks. */
const lagEveryMs = 500;

/** Counts the records of each channel that are in no pack yet, ticks too. */
export class LagWatch {
  readonly #mq: StreamQueue;
  readonly #board: TailBoard;
  readonly #channels: readonly string[];
  readonly #clock: Clock;
  #cancel: () => void = () => undefined;
  #closed = false;
  #looking: Promise<void>;

  constructor(mq: StreamQueue, board: TailBoard, channels: readonly string[], clock: Clock) {
    this.#mq = mq;
    this.#board = board;
    this.#channels = channels;
    this.#clock = clock;
    this.#looking = this.#look();
  }

  /** Looks a last time. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel();
    await this.#looking;
    await this.#look();
  }

  /** A look that fails leaves the figures as they were: the stream meets the same failure, and tells it. */
  async #look(): Promise<void> {
    await Promise.allSettled(this.#channels.map((channel) => this.#lookAt(channel)));
    if (!this.#closed)
      this.#cancel = this.#clock.setTimer(lagEveryMs, () => {
        this.#looking = this.#look();
      });
  }

  async #lookAt(channel: string): Promise<void> {
    const position = this.#board.positionOf(channel);
    // Before the first pack nobody knows where the channel began; but an empty one has nothing to be behind of.
    if (position !== undefined) this.#board.lags(channel, await this.#mq.countFrom(channel, firstUnread(position)));
    else if ((await this.#mq.latestId(channel)) === undefined) this.#board.lags(channel, 0n);
  }
}

/** The first id that may hold something unread. */
function firstUnread({ msgId, readMsgId }: MsgPosition): bigint {
  // A readMsgId before msgId says that nothing was read behind it.
  const read = [msgId, readMsgId].flatMap((id) => (id === undefined ? [] : [int64Of(id)]));
  return read.reduce((last, id) => (id > last ? id : last), -1n) + 1n;
}
