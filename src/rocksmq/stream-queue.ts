/**
 * What streams need of a queue beyond its door. Not in the door, because anybody may write a queue that fits that.
 */
import { invalid } from "./arguments.js";
import type { ReadOptions, Reader, RocksMq } from "./door.js";
import type { ConsumerMessage } from "./messages.js";
import { Queue } from "./queue.js";
import type { ResumePoint } from "./resume-points.js";

/** A reader that tells whether it has caught up. */
export interface FollowingReader extends Reader {
  /** Whether a `next()` waits because nothing more was there when it last looked. */
  readonly atEnd: boolean;
  /** Calls `f` each time that a `next()` comes to wait there. One listener; it must not throw. */
  whenAtEnd(f: () => void): void;
  /** From now on a `next()` that waits does not hold the process. */
  holdNothing(): void;
  [Symbol.asyncIterator](): AsyncIterator<ConsumerMessage[], undefined>;
}

/** A queue in which a consumer can keep more than an id. */
export interface StreamQueue extends RocksMq {
  readonly readOnly: boolean;
  /** Aborted, with `closed`, as soon as the queue is closed. */
  readonly ended: AbortSignal;
  read(channel: string, options: ReadOptions): FollowingReader;
  /** How many messages the channel retains from this id on. @throws `channel-not-found` */
  countFrom(channel: string, id: bigint): Promise<bigint>;
  /**
   * Keeps bytes of the consumer's own beside the group's cursors, and moves these. All in one change. Resolves once written, and is synced within a second: a killed
   * process loses nothing, a power cut may bring back the ones before.
   *
   * @throws `channel-not-found`; `group-not-found`; `position-ahead` for a `nextId` above `endId`; `too-large`; none is kept then
   */
  saveResumePoints(group: string, points: readonly ResumePoint[]): Promise<void>;
  /** The bytes that were kept last, by channel; a channel that has none for the group is not in it. They go with the channel and with the group. */
  loadResumePoints(group: string, channels: readonly string[]): Promise<Map<string, Uint8Array>>;
}

/** The queue with all it can do. @throws `invalid-argument` for one that `openRocksMq` has not opened */
export function streamQueueOf(mq: RocksMq): StreamQueue {
  if (mq instanceof Queue) return mq;
  throw invalid("mq", "a queue that openRocksMq opened", mq);
}
