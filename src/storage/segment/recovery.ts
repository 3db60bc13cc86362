/**
 * Opening a store's files, in the order that makes a crash at any point of it harmless:
 *
 *     a  sync the directory: names that are only in the cache must not be trusted
 *     b  the checkpoint, or the first one of a new store
 *     c  the chain of segments, their ends, the replay of the tail
 *     d  write what was not known durable again, in place, out of the bytes that were parsed; sync
 *     e  remove what a crash left half-made
 *
 * It makes no segment and needs no space: the log's end is where it was, however often this is cut short.
 */
import { randomBytes } from "node:crypto";
import type { Vfs } from "../../base/vfs.js";
import type { StoreKind } from "../store-kind.js";
import { checkKept, refuseOtherUse } from "./claim.js";
import { encodeCheckpoint } from "./checkpoint.js";
import { replaceCheckpoint } from "./checkpoint-file.js";
import { removeIfThere } from "./optional-file.js";
import { checkpointName, checkpointTempName, reserveName, segmentName } from "./file-names.js";
import { LogState } from "./log-state.js";
import { isBefore, origin, type Position } from "./position.js";
import { readFile } from "./read-file.js";
import { replayLog, type LastSegment } from "./replay.js";
import type { SegmentIndex } from "./segment-index.js";
import { surveyStore, type Survey } from "./survey.js";
import { fatal, isDiskFull } from "./system-error.js";

/** A store whose files are in order, ready to be read and written. */
export interface RecoveredStore {
  readonly storeId: bigint;
  readonly state: LogState;
  readonly end: Position;
  /** Of the last segment; undefined when there is none. */
  readonly lastLimit: number | undefined;
  readonly nextSegment: number;
  readonly clean: boolean;
  readonly droppedBytes: number;
  /** Of the segments that were gone through, the last one among them. */
  readonly indexes: ReadonlyMap<number, SegmentIndex>;
  /** Files that may go once this process has written a checkpoint. */
  readonly dead: Pick<Survey, "dead" | "deadIndexes">;
  readonly checkpointBytes: number;
}

/**
 * Recovers the store in `dir`, or makes a new one. The directory's lock must be held.
 *
 * @throws `invalid-argument` for a store that keeps something else, and for a place that is another's; `corrupt`, `unsupported-format`; the system's errors
 */
export async function recoverStore(vfs: Vfs, dir: string, keeps: StoreKind = "queue"): Promise<RecoveredStore> {
  await vfs.syncDirectory(dir);
  const survey = await surveyStore(vfs, dir);
  // The directory was looked at before there was a lock; another may have made something there since.
  if (survey === undefined) {
    await refuseOtherUse(vfs, dir, keeps);
    return newStore(vfs, dir, keeps);
  }
  checkKept(dir, survey.checkpoint.state.keeps, keeps);
  const { state, indexes, last, clean } = await replayLog(vfs, dir, survey);
  if (last !== undefined) await rewriteTail(vfs, dir, last);
  await removeIfThere(vfs, `${dir}/${checkpointTempName}`);
  for (const number of survey.voids) await removeIfThere(vfs, `${dir}/${segmentName(number)}`);
  // Ids below the ceilings may have been given out and lost: go on above.
  if (!clean) state.jumpToCeilings();
  const { checkpoint } = survey;
  const nextSegment = Math.max(checkpoint.nextSegment, survey.highestSegment + 1);
  const end = last === undefined ? origin : { segment: last.number, offset: last.end };
  // The first checkpoint may be in the cache only; before a segment refers to it, it must be on the disk.
  const next = { ...checkpoint, nextSegment, clean: false };
  if (last === undefined) await replaceFirst(vfs, dir, encodeCheckpoint(next, state), encodeCheckpoint(checkpoint, state));
  const found = { storeId: checkpoint.storeId, state, end, lastLimit: last?.limit, nextSegment, clean, indexes, dead: survey };
  return { ...found, droppedBytes: last?.droppedBytes ?? 0, checkpointBytes: checkpoint.bytes };
}

/** While there is no segment, nothing stands behind the reserve that it could save: the half of one may have taken the last room. */
async function replaceFirst(vfs: Vfs, dir: string, next: Uint8Array, found: Uint8Array): Promise<void> {
  try {
    await replaceCheckpoint(vfs, dir, next);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    await removeIfThere(vfs, `${dir}/${reserveName}`);
    await replaceWhereFull(vfs, dir, next, found);
  }
}

/** Without any room the one that was found is written over itself: the same bytes, which need none, and which no crash can tear. */
async function replaceWhereFull(vfs: Vfs, dir: string, next: Uint8Array, found: Uint8Array): Promise<void> {
  try {
    await replaceCheckpoint(vfs, dir, next);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    const path = `${dir}/${checkpointName}`;
    if ((await readFile(vfs, path))?.equals(found) !== true) throw error;
    const file = await vfs.open(path, "write");
    try {
      await file.write([found], 0);
      await fatal(file.sync());
    } finally {
      await file.close();
    }
  }
}

async function newStore(vfs: Vfs, dir: string, keeps: StoreKind): Promise<RecoveredStore> {
  const storeId = randomBytes(8).readBigUInt64LE();
  const state = new LogState();
  state.keeps = keeps;
  const checkpoint = encodeCheckpoint({ storeId, position: origin, nextSegment: 1, clean: false }, state);
  await replaceCheckpoint(vfs, dir, checkpoint);
  const nothing = { indexes: new Map<number, SegmentIndex>(), dead: { dead: [], deadIndexes: [] }, droppedBytes: 0, lastLimit: undefined };
  return { storeId, state, end: origin, nextSegment: 1, clean: true, ...nothing, checkpointBytes: checkpoint.length };
}

/**
 * Writes again what no surviving record proves durable: it may be in the cache only, and after a failed sync the cache no longer knows that
 * it isn't on the disk. Out of the buffer that was parsed, since a second read may differ.
 */
async function rewriteTail(vfs: Vfs, dir: string, last: LastSegment): Promise<void> {
  const from = last.durable.segment < last.number ? 0 : Math.min(last.durable.offset, last.end);
  if (!isBefore({ segment: last.number, offset: from }, { segment: last.number, offset: last.end })) return;
  const file = await vfs.open(`${dir}/${segmentName(last.number)}`, "write");
  try {
    await file.write([last.buffer.subarray(from, last.end)], from);
    await file.sync();
  } finally {
    await file.close();
  }
}
