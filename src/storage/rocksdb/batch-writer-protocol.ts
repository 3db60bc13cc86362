/**
 * What the database's thread and the thread of its owner say to each other: one request, one answer, in turns.
 *
 *     owner                                   database's thread
 *       │ lay a group out in shared memory          │
 *       │ ── write 0…4,136, sync ─────────────────▶ │ one batch, written and synced, blocking
 *       │ ◀───────────────────────── answer ─────── │
 */
import { type GroupTarget, perform } from "./group-layout.js";
import type { PeerDatabase } from "./peer.js";

/** What the thread begins with. */
export interface ThreadData {
  /** Of the open database. */
  readonly handle: bigint;
  /** The path of the file that says what is synced. */
  readonly mark: string;
}

/** Whether a thread was started with that. */
export function isThreadData(value: unknown): value is ThreadData {
  return typeof value === "object" && value !== null && "handle" in value && typeof value.handle === "bigint" && "mark" in value;
}

/** Messages of a channel from `fromId` on and below `toId`. */
export interface MessageRange {
  readonly channel: string;
  readonly fromId: bigint;
  readonly toId: bigint;
}

/** What the owner asks for. */
export type WriteRequest =
  /** Out of the memory named now, or last. */
  | { readonly do: "write"; readonly memory: SharedArrayBuffer | undefined; readonly length: number; readonly sync: boolean }
  /** Deletes rows that no reader asks for any more. */
  | { readonly do: "sweep"; readonly ranges: readonly MessageRange[] };

/** What becomes of it. */
export type WriteAnswer = { readonly ok: true } | { readonly ok: false; readonly message: string };

/** One end of a line between two threads, or between two parts of one. */
export interface WritePort {
  postMessage(message: WriteRequest | WriteAnswer): void;
  on(event: "message", listener: (message: WriteRequest | WriteAnswer) => void): unknown;
}

/** Takes what is durable. Never rejects. */
export type NoteSynced = (sequence: bigint) => Promise<void>;

/** The thread's part: does what it is asked with an open database, and answers. */
export function serveBatchWriter(port: WritePort, database: PeerDatabase, noteSynced: NoteSynced): void {
  const writer = new BatchWriter(database);
  const answer = async (request: WriteRequest): Promise<WriteAnswer> => {
    try {
      if (request.do === "sweep") for (const range of request.ranges) writer.sweep(range);
      else writer.write(request);
    } catch (error) {
      return { ok: false, message: error instanceof Error ? error.message : String(error) };
    }
    if (request.do === "write" && request.sync) await noteSynced(BigInt(database.sequence));
    return { ok: true };
  };
  port.on("message", (request) => {
    if (!("ok" in request)) void answer(request).then((done) => port.postMessage(done));
  });
}

class BatchWriter {
  readonly #database: PeerDatabase;
  readonly #target: GroupTarget;
  /** One for all groups: it keeps the memory that it has grown to. */
  readonly #batch;
  #memory: Buffer = Buffer.alloc(0);

  constructor(database: PeerDatabase) {
    this.#database = database;
    const batch = database._chainedBatch();
    const properties = { column: columnOf(database, "properties") };
    const meta = { column: columnOf(database, "meta") };
    this.#batch = batch;
    this.#target = {
      message: (key, payload, row) => {
        batch._put(key, payload, undefined);
        batch._put(key, row, properties);
      },
      put: (key, value) => batch._put(key, value, meta),
      delete: (key) => batch._del(key, meta),
    };
  }

  write({ memory, length, sync }: WriteRequest & { readonly do: "write" }): void {
    if (memory !== undefined) this.#memory = Buffer.from(memory);
    try {
      perform(this.#memory.subarray(0, length), this.#target);
      this.#batch._writeSync({ sync });
    } finally {
      this.#batch._clear();
    }
  }

  sweep({ channel, fromId, toId }: MessageRange): void {
    const range = { gte: `${channel}/${fromId}`, lt: `${channel}/${toId}` };
    for (const family of ["default", "properties"]) {
      const failures: Error[] = [];
      this.#database._clear({ ...range, column: columnOf(this.#database, family) }, (error) => {
        if (error !== null) failures.push(error);
      });
      for (const failure of failures) throw failure;
    }
  }
}

function columnOf(database: PeerDatabase, family: string): object {
  const column = database.columns[family];
  if (column === undefined) throw new Error(`the database has no column family ${family}`);
  return column;
}
