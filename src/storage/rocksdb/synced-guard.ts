/**
 * Holds what RocksDB is about to recover against what is known to be durable, and keeps that known.
 *
 *     guard = look at the directory ─▶ RocksDB opens ─▶ check again ─▶ keep: from now on the thread moves it ─▶ … ─▶ closed
 */
import { TidemarkError } from "../../base/errors.js";
import type { EngineOptions } from "../engine-options.js";
import { cutLog, readLog } from "./record-log.js";
import { checkSequence, checkSurvey, manifestNamed, manifestNumber, surveyStore } from "./store-survey.js";
import { readSyncedMark, type SyncedMark, syncedMarkName, writeSyncedMark } from "./synced-mark.js";

/** Of one store, from before it is opened until it is closed. */
export class SyncedGuard {
  readonly #options: EngineOptions;
  readonly #mark: SyncedMark;
  /** Behind the sound end of RocksDB's logs, as they were found: it drops that. */
  readonly strayBytes: number;

  private constructor(options: EngineOptions, mark: SyncedMark, strayBytes: number) {
    this.#options = options;
    this.#mark = mark;
    this.strayBytes = strayBytes;
  }

  /** Looks at a directory that nobody has open. @throws `corrupt` when less is there than was synced; nothing is changed then */
  static async look(options: EngineOptions): Promise<SyncedGuard> {
    const { vfs, dir, logger } = options;
    const mark = await readSyncedMark(vfs, dir);
    if (mark === "damaged") logger.warn({ dir }, `${syncedMarkName} is damaged: whether something synced is missing can't be told`);
    const survey = await surveyStore(vfs, dir);
    const known = mark === undefined || mark === "damaged" ? { sequence: 0n, manifest: 0n, manifestBytes: 0n } : mark;
    if (known.sequence > 0n) checkSurvey(dir, survey, known);
    if (survey.torn !== undefined) await cutLog(vfs, `${dir}/${survey.torn.name}`, survey.torn.soundBytes);
    return new SyncedGuard(options, known, survey.strayBytes);
  }

  /** The file that a thread notes in what is synced; see `encodeSyncedMark`. */
  get path(): string {
    return `${this.#options.dir}/${syncedMarkName}`;
  }

  /** Now that it is open. @throws `corrupt` when RocksDB has recovered less than was synced; the system's errors */
  async keep(sequence: number): Promise<void> {
    const { vfs, dir } = this.#options;
    checkSequence(dir, BigInt(sequence), this.#mark);
    await writeSyncedMark(vfs, dir, { sequence: this.#mark.sequence, manifest: 0n, manifestBytes: 0n });
  }

  /** @throws `corrupt` when there was something in a store that has nothing in it */
  checkNew(isNew: boolean): void {
    if (!isNew || this.#mark.sequence === 0n) return;
    const { dir } = this.#options;
    const text = `the database in ${dir} has lost all that it held: restore it from a copy`;
    throw new TidemarkError("corrupt", text, { file: dir, offset: 0 });
  }

  /** Of a store that is closed, with all of it synced. A failure leaves what was known before. */
  async closed(sequence: number): Promise<void> {
    const { vfs, dir, logger } = this.#options;
    try {
      const name = (await manifestNamed(vfs, dir)) ?? "";
      const { soundBytes } = await readLog(vfs, `${dir}/${name}`);
      await writeSyncedMark(vfs, dir, { sequence: BigInt(sequence), manifest: manifestNumber(name), manifestBytes: BigInt(soundBytes) });
    } catch (error) {
      logger.warn({ err: error, dir }, `${syncedMarkName} could not be written: damage of this store's manifest may not be seen`);
    }
  }
}
