/**
 * The key that a line of ticks is kept under, held by one opener at a time.
 *
 *     open      opening 3 ─▶ 4, if nobody wrote meanwhile       from here on opener 3 can renew nothing any more
 *     advance   bound   a ─▶ b, if nobody wrote meanwhile       else the record says by its opening whether it was us: an answer was lost
 */
import { TidemarkError } from "../../base/errors.js";
import type { MetaStore } from "../meta-store.js";
import { type Reach, untouched } from "./tick-window.js";
import { decodeWindowRecord, encodeWindowRecord, type WindowRecord } from "./window-record.js";

/** Where a line of ticks is kept. */
export interface WindowPlace {
  readonly meta: MetaStore;
  readonly key: string;
  /** Of what gives out the ticks: the key is kept for its like. */
  readonly name: string;
}

/** One opener's hold on the key. */
export class StoredWindow {
  readonly #meta: MetaStore;
  readonly #key: string;
  readonly #of: string;
  readonly #opening: bigint;
  /** Of our last write that we know of. */
  #modRevision: bigint;

  private constructor({ meta, key, name }: WindowPlace, opening: bigint, modRevision: bigint) {
    this.#meta = meta;
    this.#key = key;
    this.#of = name;
    this.#opening = opening;
    this.#modRevision = modRevision;
  }

  /**
   * Takes the key over from whoever of the same name held it. Only a key that is known to be missing is a fresh start.
   *
   * @throws `invalid-argument` when the key is another's; `corrupt`; `conflict` when another opens it in the same moment; what the store throws
   */
  static async open(place: WindowPlace): Promise<{ readonly window: StoredWindow; readonly reach: Reach }> {
    const { meta, key, name } = place;
    const entry = await meta.get(key);
    const found = entry === undefined ? { ...untouched, opening: 0n, of: name } : decodeWindowRecord(key, entry.value);
    if (found.of !== undefined && found.of !== name) throw notIts(place, found.of);
    const record = { ...found, opening: found.opening + 1n, of: name };
    const written = await write(meta, key, entry?.modRevision ?? 0n, record);
    if (written === undefined) throw takenOver(key);
    return { window: new StoredWindow(place, record.opening, written), reach: record };
  }

  /**
   * Resolves with what is stored, once it is durable: `reach`, or what an earlier call stored whose answer was lost.
   *
   * @throws `conflict` once another has opened the key; what the store throws: stored or not, a later call finds out
   */
  async advance(reach: Reach): Promise<Reach> {
    const written = await write(this.#meta, this.#key, this.#modRevision, { ...reach, opening: this.#opening, of: this.#of });
    if (written !== undefined) {
      this.#modRevision = written;
      return reach;
    }
    const entry = await this.#meta.get(this.#key);
    const found = entry && decodeWindowRecord(this.#key, entry.value);
    if (entry === undefined || found?.opening !== this.#opening) throw takenOver(this.#key);
    this.#modRevision = entry.modRevision;
    return found;
  }
}

/** The revision that it made; undefined when somebody wrote since `modRevision`. */
async function write(meta: MetaStore, key: string, modRevision: bigint, record: WindowRecord): Promise<bigint | undefined> {
  const put = { op: "put", key, value: encodeWindowRecord(record) } as const;
  const { succeeded, revision } = await meta.txn({ if: [{ key, modRevision }], then: [put] });
  return succeeded ? revision : undefined;
}

function notIts({ key, name }: WindowPlace, of: string): TidemarkError<"invalid-argument"> {
  const text = `the key ${JSON.stringify(key)} is the ${of}'s and can't be the ${name}'s too: name another`;
  return new TidemarkError("invalid-argument", text, { argument: "key" });
}

function takenOver(key: string): TidemarkError<"conflict"> {
  const text = `another has opened ${JSON.stringify(key)}: one at a time gives out its numbers; close this one, and open it again if it is to go on`;
  return new TidemarkError("conflict", text, { key }, { retry: "reopen" });
}
