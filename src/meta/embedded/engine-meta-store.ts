/**
 * Metadata in an engine: in the same log as the messages, so that a cursor's move rides in their group commits.
 */
import type { Abortable } from "../../base/closable.js";
import { TidemarkError } from "../../base/errors.js";
import { compareUtf8 } from "../../base/utf8-order.js";
import type { Draft, Engine } from "../../storage/index.js";
import { checkCall, checkKey, checkPut, checkRange, checkTxn } from "../meta-input.js";
import type { MetaCompare, MetaEntry, MetaOp, MetaRange, MetaRangeOptions, MetaStore, MetaTxn, MetaTxnResult } from "../meta-store.js";

/** A `MetaStore` over an engine. */
export class EngineMetaStore implements MetaStore {
  readonly #engine: Engine;
  readonly #whenClosed: () => Promise<void>;
  #closing: Promise<void> | undefined;

  /** @param whenClosed ends the engine, if nobody else does */
  constructor(engine: Engine, whenClosed: () => Promise<void> = () => Promise.resolve()) {
    this.#engine = engine;
    this.#whenClosed = whenClosed;
  }

  async get(key: string, options: Abortable = {}): Promise<MetaEntry | undefined> {
    this.#begin(options, () => {
      checkCall(options);
      checkKey(key);
    });
    const entry = this.#engine.meta.get(key);
    return entry && ownCopy(entry);
  }

  async range(prefix: string, options: MetaRangeOptions = {}): Promise<MetaRange> {
    this.#begin(options, () => checkRange(prefix, options));
    const { after, limit = Infinity } = options;
    const all = this.#engine.meta.range(prefix);
    const behind = after === undefined ? all : all.filter(({ key }) => compareUtf8(key, after) > 0);
    return { entries: behind.slice(0, limit).map(ownCopy), revision: this.#engine.meta.revision, more: behind.length > limit };
  }

  put(key: string, value: Uint8Array, options: Abortable = {}): Promise<bigint> {
    return this.#write(options, () => {
      checkPut(key, value);
      const own = new Uint8Array(value);
      return (draft) => {
        draft.put(key, own);
        return draft.revision;
      };
    });
  }

  delete(key: string, options: Abortable = {}): Promise<boolean> {
    return this.#write(options, () => {
      checkKey(key);
      return (draft) => draft.delete(key);
    });
  }

  txn(txn: MetaTxn, options: Abortable = {}): Promise<MetaTxnResult> {
    return this.#write(options, () => {
      const { if: compares, then, else: otherwise } = checkTxn(txn);
      return (draft) => {
        // In the change's turn nothing can come between the compares and the branch.
        const succeeded = compares.every((compare) => holds(draft, compare));
        for (const op of succeeded ? then : otherwise) draftOp(draft, op);
        return { succeeded, revision: draft.revision };
      };
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * Hands out the engine's own promise, so that all of them are settled once the engine says so.
   *
   * @param prepare checks what was given, and makes a change that shares nothing with it: its turn comes after the call
   */
  #write<T>(options: Abortable, prepare: () => (draft: Draft) => T): Promise<T> {
    try {
      const change = this.#begin(options, () => {
        checkCall(options);
        return prepare();
      });
      return this.#engine.write(change, options);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async #close(): Promise<void> {
    await this.#engine.settled();
    await this.#whenClosed();
  }

  #begin<T>(options: Abortable, check: () => T): T {
    if (this.#closing !== undefined) throw new TidemarkError("closed", "the metadata store is closed: open it again to go on", {});
    const checked = check();
    options.signal?.throwIfAborted();
    return checked;
  }
}

function holds(draft: Draft, compare: MetaCompare): boolean {
  const entry = draft.get(compare.key);
  if ("value" in compare) return entry !== undefined && Buffer.compare(entry.value, compare.value) === 0;
  return (entry?.modRevision ?? 0n) === compare.modRevision;
}

function draftOp(draft: Draft, op: MetaOp): void {
  if (op.op === "put") draft.put(op.key, op.value);
  else draft.delete(op.key);
}

/** The engine's values are its own; a caller may do with these what it likes. */
function ownCopy({ key, value, createRevision, modRevision }: MetaEntry): MetaEntry {
  return { key, value: new Uint8Array(value), createRevision, modRevision };
}
