/**
 * What a database that nobody has open holds on the disk, looked at before RocksDB may: it opens what is damaged as if less had been written,
 * and deletes what it then knows nothing of.
 *
 *     CURRENT ─▶ MANIFEST-…: tables hold all writes up to 40        logs: 38–45 │ 46–52 │ (54–60: a hole)        ─▶ all up to 52
 */
import { TidemarkError } from "../../base/errors.js";
import type { Vfs } from "../../base/vfs.js";
import { isMissing } from "../segment/system-error.js";
import { type LogEnd, readLog } from "./record-log.js";
import type { SyncedMark } from "./synced-mark.js";
import { lastSequenceIn, writesIn } from "./version-edit.js";

/** What was found. */
export interface StoreSurvey {
  /** Undefined: the file CURRENT names none, or is not there. */
  readonly manifest: FoundLog | undefined;
  /** Every write up to this one is there; undefined when that can't be told. */
  readonly sequence: bigint | undefined;
  /** Where what is there ends. */
  readonly end: FoundLog | undefined;
  /** Behind the sound end of RocksDB's logs. */
  readonly strayBytes: number;
  /** The last log, when what stands behind its sound end must be taken away before RocksDB opens it: see `LogEnd.looksReused`. */
  readonly torn: FoundLog | undefined;
}

/** A file in RocksDB's log format, and how much of it is sound. */
export interface FoundLog {
  readonly name: string;
  readonly soundBytes: number;
}

/** @throws `corrupt` where the manifest that CURRENT names is missing; the system's errors */
export async function surveyStore(vfs: Vfs, dir: string): Promise<StoreSurvey> {
  const names = await vfs.list(dir);
  const name = names.includes("CURRENT") ? await manifestNamed(vfs, dir) : undefined;
  if (name === undefined) return { manifest: undefined, sequence: undefined, end: undefined, strayBytes: 0, torn: undefined };
  if (!names.includes(name)) throw lostFile(dir, name, 0, "the file that CURRENT names is missing");
  let reached = 0n;
  const manifest = await readLog(vfs, `${dir}/${name}`, (edit) => {
    const sequence = lastSequenceIn(edit) ?? 0n;
    if (sequence > reached) reached = sequence;
  });
  const logs = names.filter((one) => /^\d+\.log$/.test(one)).sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  const found: (FoundLog & { readonly log: LogEnd })[] = [{ name, soundBytes: manifest.soundBytes, log: manifest }];
  for (const one of logs) {
    const log = await readLog(vfs, `${dir}/${one}`, (record) => {
      const { first, last } = writesIn(record);
      // What is in tables already is in the logs, too, or not any more.
      if (first <= reached + 1n && last > reached) reached = last;
    });
    found.push({ name: one, soundBytes: log.soundBytes, log });
  }
  const last = found.slice(1).at(-1);
  return {
    manifest: found[0],
    sequence: found.some(({ log }) => log.isStrange) ? undefined : reached,
    end: found.findLast(({ log }) => log.isCut) ?? found.at(-1),
    strayBytes: found.slice(1).reduce((sum, { log }) => sum + log.strayBytes, 0),
    torn: last?.log.looksReused === true ? last : undefined,
  };
}

/** Nothing has been changed yet. @throws `corrupt` where less is there than is known to be durable */
export function checkSurvey(dir: string, { manifest, sequence, end }: StoreSurvey, mark: SyncedMark): void {
  if (manifest === undefined) throw lostFile(dir, "CURRENT", 0, "it names no manifest, and the store is not new");
  // Of a store that was closed, unless a program that is not ours has opened it since.
  if (manifest.name === manifestName(mark.manifest) && manifest.soundBytes < mark.manifestBytes) {
    throw lostFile(dir, manifest.name, manifest.soundBytes, `${mark.manifestBytes} bytes of it were written, and only so many can be read`);
  }
  if (sequence !== undefined) checkSequence(dir, sequence, mark, end);
}

/** @param sequence the last write that is there. @throws `corrupt` where it is before one that is known to be durable */
export function checkSequence(dir: string, sequence: bigint, mark: SyncedMark, end?: FoundLog): void {
  if (sequence >= mark.sequence) return;
  const lost = `${mark.sequence - sequence} of ${mark.sequence} writes that were synced are missing`;
  throw lostFile(dir, end?.name ?? "CURRENT", end?.soundBytes ?? 0, lost);
}

/** The number in a manifest's name; 0 for another name. */
export function manifestNumber(name: string): bigint {
  return BigInt(/^MANIFEST-(\d+)$/.exec(name)?.[1] ?? 0);
}

function manifestName(number: bigint): string {
  return `MANIFEST-${String(number).padStart(6, "0")}`;
}

/** The manifest that CURRENT names; undefined when it names none. */
export async function manifestNamed(vfs: Vfs, dir: string): Promise<string | undefined> {
  try {
    const file = await vfs.open(`${dir}/CURRENT`, "read");
    try {
      const bytes = Buffer.alloc(100);
      return /^(MANIFEST-\d+)\n$/.exec(bytes.toString("latin1", 0, await file.read(bytes, 0)))?.[1];
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function lostFile(dir: string, name: string, offset: number, what: string): TidemarkError<"corrupt"> {
  const file = `${dir}/${name}`;
  const text = `the database in ${dir} is damaged at ${name}, offset ${offset}: ${what}; nothing was changed, restore it from a copy`;
  return new TidemarkError("corrupt", text, { file, offset });
}
