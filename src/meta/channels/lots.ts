/**
 * The lots of channels in the metadata: read as they are, written only over what was read.
 */
import { TidemarkError } from "../../base/errors.js";
import type { MetaEntry, MetaOp, MetaStore } from "../meta-store.js";
import { decodeLotRecord, encodeLotRecord, type LotRecord, lotKeyOf, lotPrefix } from "./channel-lot.js";

/** A lot as it was read or written last. */
export interface Lot extends LotRecord {
  readonly key: string;
  /** 0n: not there yet. */
  readonly modRevision: bigint;
}

/** Access to the lots of one metadata store. */
export class Lots {
  readonly #meta: MetaStore;

  constructor(meta: MetaStore) {
    this.#meta = meta;
  }

  /** All of them, in the order they were made. */
  async all(): Promise<Lot[]> {
    const { entries } = await this.#meta.range(lotPrefix);
    // Their keys are random.
    return entries.toSorted((a, b) => (a.createRevision < b.createRevision ? -1 : 1)).map(lotOf);
  }

  /** Where channels are: all channels of the lots that these names are in, each with its lot. */
  async around(names: Iterable<string>): Promise<Map<string, Lot>> {
    const keys = new Set([...names].flatMap((name) => lotKeyOf(name) ?? []));
    const found = await Promise.all(Array.from(keys, (key) => this.#meta.get(key)));
    const lots = found.flatMap((entry) => (entry === undefined ? [] : [lotOf(entry)]));
    return new Map(lots.flatMap((lot) => lot.channels.map((channel) => [channel, lot] as const)));
  }

  /**
   * Stores all of them in one step, and gives them back as they are then; a lot with nothing in it loses its key.
   *
   * @throws `conflict`, with nothing stored, when somebody else has written one since it was read
   */
  async write(lots: readonly Lot[]): Promise<Lot[]> {
    const compares = lots.map(({ key, modRevision }) => ({ key, modRevision }));
    const { succeeded, revision } = await this.#meta.txn({ if: compares, then: lots.map(opOf) });
    if (!succeeded) throw otherService();
    return lots.map((lot) => ({ ...lot, modRevision: revision }));
  }
}

function lotOf({ key, value, modRevision }: MetaEntry): Lot {
  return { ...decodeLotRecord(key, value), key, modRevision };
}

function opOf({ key, owner, channels, pending }: Lot): MetaOp {
  if (channels.length === 0 && pending.length === 0) return { op: "delete", key };
  return { op: "put", key, value: encodeLotRecord({ owner, channels, pending }) };
}

function otherService(): TidemarkError<"conflict"> {
  const text =
    "another channel service works on the same metadata: one at a time makes and destroys channels; close this one, and open it again";
  return new TidemarkError("conflict", text, {}, { retry: "reopen" });
}
