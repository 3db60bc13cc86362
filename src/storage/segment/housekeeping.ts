/**
 * Checkpoints, and the files that may go by them.
 *
 * A segment goes in this order: nothing live in it ▸ a checkpoint that does not list it is durable ▸ unlink. Never on a trim or a destroy
 * alone: after a crash the checkpoint found would miss it.
 */
import type { Logger } from "../../base/logger.js";
import { systemCode } from "../../base/system-error.js";
import type { Vfs } from "../../base/vfs.js";
import { encodeCheckpoint } from "./checkpoint.js";
import { replaceCheckpoint } from "./checkpoint-file.js";
import { removeIfThere } from "./optional-file.js";
import { indexName, segmentName } from "./file-names.js";
import type { IndexStore } from "./index-store.js";
import type { LogMetrics } from "./log-metrics.js";
import type { LogState } from "./log-state.js";
import type { LogTail } from "./log-tail.js";
import type { Survey } from "./survey.js";
import { leastRoom, type Reserve, reserveBytes } from "./reserve.js";
import type { SegmentFiles } from "./segment-files.js";
import { isDiskFull } from "./system-error.js";

/** What copies take beside themselves: a segment begun for them, an index file, blocks that are not full. Or the last step of them would find no room. */
const aroundCopies = 64 * 1024;

/** What the housekeeper works on. */
export interface HousekeepingParts {
  readonly vfs: Vfs;
  readonly dir: string;
  readonly storeId: bigint;
  readonly state: LogState;
  readonly tail: LogTail;
  readonly files: SegmentFiles;
  readonly indexes: IndexStore;
  readonly reserve: Reserve;
  readonly metrics: LogMetrics;
  readonly logger: Logger;
  /** Files that an earlier open left, to go by the first checkpoint of this one. */
  readonly leftOver: Pick<Survey, "dead" | "deadIndexes">;
  readonly checkpointBytes: number;
}

/** Called between groups only, unless it says otherwise: the state is then the one at the log's end. */
export class Housekeeping {
  readonly #parts: HousekeepingParts;
  #leftOver: Pick<Survey, "dead" | "deadIndexes">;
  /** Of the last checkpoint. */
  #checkpointBytes: number;
  /** So many dead segments could not be let go since the disk had no room for a checkpoint: more of them, or a roll, is worth a new try. */
  #stuck = 0;
  /** Copies were given the reserve. */
  #isLent = false;

  constructor(parts: HousekeepingParts) {
    this.#parts = parts;
    this.#leftOver = parts.leftOver;
    this.#checkpointBytes = parts.checkpointBytes;
  }

  /** Finishes what an earlier open left, and sees to the reserve. */
  async afterOpen(): Promise<void> {
    const { state, reserve } = this.#parts;
    const hasDead = state.segments.dead.size > 0 || this.#leftOver.dead.length > 0 || this.#leftOver.deadIndexes.length > 0;
    if (hasDead) await this.checkpoint({ clean: false });
    else await reserve.refill(this.#checkpointBytes);
  }

  /** The end of the segment before is durable: it gets its index file, and a replay begins at the new one. */
  async afterRoll(): Promise<void> {
    const { indexes, state } = this.#parts;
    await indexes.seal((segment) => state.segments.get(segment)?.end);
    await this.checkpoint({ clean: false });
  }

  /** Lets go of the segments that nothing lives in any more. */
  async releaseDead(): Promise<void> {
    if (this.#parts.state.segments.dead.size > this.#stuck) await this.checkpoint({ clean: false });
  }

  /** The same once there may be room for it: whoever made some has told nobody. Whether nothing dead is left. */
  async releaseDeadAgain(): Promise<boolean> {
    if (await this.mayHaveRoomToCopy(0)) this.#stuck = 0;
    await this.releaseDead();
    return this.#parts.state.segments.dead.size === 0;
  }

  /**
   * Whether messages may take space: not what the reserve gave up, or those who free some would find none; and nothing while copies live on it, which
   * would stop halfway.
   */
  async hasRoom(): Promise<boolean> {
    const { reserve } = this.#parts;
    return !this.#isLent && (reserve.isThere || reserve.refill(this.#checkpointBytes));
  }

  /**
   * Whether so much may be copied forward, of the reserve too: it comes back with what the copies free. What those need who free space stays free.
   * Until `endCopies` no message takes what was lent.
   */
  async roomToCopy(bytes: number): Promise<boolean> {
    const free = await this.freeBytes();
    if (free === Infinity) return this.hasRoom();
    const wanted = this.#toHoldCopies(bytes);
    if (free >= wanted) return true;
    if (free + this.#parts.reserve.bytes < wanted) return false;
    this.#isLent = await this.giveUpReserve();
    return this.#isLent;
  }

  /**
   * The same of all that lives in a segment, before there is anything to write, at any time: it leaves the reserve where it is, and lets pass what the disk
   * says nothing of.
   */
  async mayHaveRoomToCopy(bytes: number): Promise<boolean> {
    return this.#missingToCopy(bytes, await this.freeBytes()) <= 0;
  }

  /** Whether what somebody freed is enough for copies that waited for it. Not where the disk can't be asked: they find out when they are tried. */
  async isFreeToCopy(bytes: number): Promise<boolean> {
    const free = await this.freeBytes();
    return Number.isFinite(free) && this.#missingToCopy(bytes, free) <= 0;
  }

  /** A segment was copied, or will not be. */
  endCopies(): void {
    this.#isLent = false;
  }

  /** Why messages find no room, with the numbers: the end of a sentence. */
  async shortage(): Promise<string> {
    const free = await this.freeBytes();
    const left = free === Infinity ? "" : `, with ${free} bytes free${this.#waitingForRoom(free)}`;
    if (this.#parts.reserve.isThere) return left;
    const wanted = reserveBytes(this.#checkpointBytes);
    return `${left}, and messages come after the reserve of ${wanted} bytes, which trims need and which does not fit any more`;
  }

  /** What is dead and can't come back: there is no room to copy what lives beside it, of any segment. */
  #waitingForRoom(free: number): string {
    const { segments } = this.#parts.state;
    const [least] = [...segments.sparse].sort((a, b) => segments.liveBytes(a) - segments.liveBytes(b));
    if (least === undefined) return "";
    const missing = this.#missingToCopy(segments.liveBytes(least), free);
    if (missing <= 0) return "";
    const dead = (segments.get(least)?.end ?? 0) - segments.liveBytes(least);
    return ` (of what is dead, the ${dead} bytes in segment ${least} come back by themselves once ${missing} bytes more are free)`;
  }

  /** How much more must be free for copies of so many bytes; nothing is missing at 0 and below. */
  #missingToCopy(bytes: number, free: number): number {
    return this.#toHoldCopies(bytes) + aroundCopies - free - this.#parts.reserve.bytes;
  }

  #toHoldCopies(bytes: number): number {
    return bytes + leastRoom(this.#checkpointBytes);
  }

  /** On the disk. Infinity also where it can't be asked: nothing is at stake, since a write finds out. */
  async freeBytes(): Promise<number> {
    const { vfs, dir } = this.#parts;
    try {
      return await vfs.freeBytes(dir);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return Infinity;
    }
  }

  /** Whether the reserve's space is there now for those who free more. */
  giveUpReserve(): Promise<boolean> {
    this.#stuck = 0;
    return this.#parts.reserve.giveUp();
  }

  /** Writes a checkpoint at the log's end and unlinks what it lets go. Whether there was room for it. */
  async checkpoint(o: { clean: boolean }): Promise<boolean> {
    const { tail, state, storeId, metrics } = this.#parts;
    // All before P must be durable, whatever the mode.
    if (tail.isDirty) {
      await tail.sync();
      state.synced();
    }
    const head = { storeId, position: tail.end, nextSegment: tail.nextSegment, clean: o.clean };
    const bytes = encodeCheckpoint(head, state);
    // Not for one that frees nothing: the next trim would find no reserve. The last one before a close is worth it.
    const mayUseReserve = o.clean || state.segments.dead.size > 0 || this.#leftOver.dead.length > 0;
    const isWritten = await this.#replace(bytes, mayUseReserve);
    this.#stuck = isWritten ? 0 : state.segments.dead.size;
    if (!isWritten) return false;
    this.#checkpointBytes = bytes.length;
    metrics.sealedSegments(state.segments.sealed().length);
    await this.#unlinkDead();
    await this.#parts.reserve.refill(this.#checkpointBytes);
    return true;
  }

  async #replace(bytes: Uint8Array, mayUseReserve: boolean): Promise<boolean> {
    const { vfs, dir, reserve, logger } = this.#parts;
    for (;;) {
      try {
        await replaceCheckpoint(vfs, dir, bytes);
        return true;
      } catch (error) {
        if (!isDiskFull(error)) throw error;
        if (mayUseReserve && (await reserve.giveUp())) continue;
        logger.warn({ dir }, "the disk is full: there is no room for a checkpoint");
        return false;
      }
    }
  }

  async #unlinkDead(): Promise<void> {
    const { vfs, dir, state, files, indexes, logger } = this.#parts;
    const dead = [...state.segments.dead];
    for (const number of dead) {
      state.segments.remove(number);
      indexes.forget(number);
      await files.drop(number);
    }
    for (const number of [...dead, ...this.#leftOver.dead]) await removeIfThere(vfs, `${dir}/${segmentName(number)}`);
    for (const number of [...dead, ...this.#leftOver.deadIndexes]) await removeIfThere(vfs, `${dir}/${indexName(number)}`);
    this.#leftOver = { dead: [], deadIndexes: [] };
    if (dead.length > 0) logger.debug({ dir, segments: dead }, "segments without live messages are gone");
  }
}
