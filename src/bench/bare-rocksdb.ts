/**
 * The ceiling that the binding sets: the batches of the RocksDB engine, made and synced by one thread that does nothing else.
 *
 *     batch:  count × (payload · row of properties) · end of the channel · the channel · the counters
 *
 * Opened as the engine opens it, and with blocking calls, so that what is between the two is ours.
 */
import type { Clock } from "../base/clock.js";
import { databaseOptions, loadPeer, MessageKey, type PeerBatch, type PeerDatabase } from "../storage/index.js";
import { groupsPerSecond } from "./groups-per-second.js";

const channel = Buffer.from("c/");
/** Ids have as many digits as the engine's. */
const firstId = 10n ** 17n;
const row = Buffer.from('{"time":1700000000000,"properties":{}}\n');
/** As long as what the engine says of a channel and of the store. */
const channelRow = Buffer.alloc(240, " ");
const stateRow = Buffer.alloc(96, " ");

/** A database of its own; the caller owes a `close`. */
export class BareRocksDb {
  readonly #clock: Clock;
  readonly #database: PeerDatabase;
  readonly #batch: PeerBatch;
  /** Counts on from turn to turn, as ids do. */
  readonly #key = new MessageKey(channel, firstId);

  private constructor(database: PeerDatabase, clock: Clock) {
    this.#clock = clock;
    this.#database = database;
    this.#batch = database._chainedBatch();
  }

  /** @throws `invalid-argument` where the optional peer can't be loaded */
  static async open(folder: string, clock: Clock): Promise<BareRocksDb> {
    const { RocksLevel } = await loadPeer("bench");
    const database = new RocksLevel(folder, {});
    await database.open(databaseOptions);
    return new BareRocksDb(database, clock);
  }

  /** Batches of so many messages a second, for about so long; what was written before that is deleted. */
  perSecond(messages: number, messageBytes: number, ms: number): number {
    this.#clear();
    const payload = Buffer.alloc(messageBytes, 97);
    return groupsPerSecond(this.#clock, { ms }, () => this.#write(messages, payload));
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  #write(messages: number, payload: Buffer): void {
    const properties = { column: this.#column("properties") };
    const meta = { column: this.#column("meta") };
    const batch = this.#batch;
    const key = this.#key;
    for (let left = messages; left > 0; left -= 1) {
      batch._put(key.bytes, payload, undefined);
      batch._put(key.bytes, row, properties);
      key.increment();
    }
    batch._put(Buffer.from("c/end_id"), key.bytes.subarray(channel.length), meta);
    batch._put(Buffer.from("\0channel/c"), channelRow, meta);
    batch._put(Buffer.from("\0state"), stateRow, meta);
    batch._writeSync({ sync: true });
    batch._clear();
  }

  #clear(): void {
    const range = { gte: `${channel.toString()}${firstId}`, lt: this.#key.bytes.toString() };
    for (const family of ["default", "properties"]) {
      this.#database._clear({ ...range, column: this.#column(family) }, (error) => {
        if (error !== null) throw error;
      });
    }
  }

  #column(family: string): object {
    const column = this.#database.columns[family];
    if (column === undefined) throw new Error(`the database has no column family ${family}`);
    return column;
  }
}
