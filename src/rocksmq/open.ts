import { type Engine, type EngineOptions, openReadOnlySegmentEngine, openRocksDbEngine, openSegmentEngine } from "../storage/index.js";
import type { RocksMq } from "./door.js";
import { type ResolvedOptions, type RocksMqOptions, resolveOptions } from "./options.js";
import { Queue } from "./queue.js";

/**
 * Opens the queue in a directory, makes it if there is none, and recovers it after an unclean stop. With `readOnly` it does neither, and can be
 * open beside a process that writes. It owes a `close()`.
 *
 * @throws `invalid-argument`, also for a directory of the other engine, of a metadata store or with other people's files in it, without the peer that `engine: "rocksdb"` needs, and with `readOnly` when
 * there is no queue; `locked` while another process has it open to write; `corrupt`; `unsupported-format`; `disk-full`; `io-failed`
 *
 * @example
 * ```ts
 * const mq = await openRocksMq({ dir: "./tidemark-data/queue" });
 * try {
 *   await mq.createChannel("orders", { ifNotExists: true });
 *   await mq.createConsumerGroup("billing", { ifNotExists: true });
 *   await mq.produce("orders", [{ payload: new TextEncoder().encode("4 apples") }]);
 *   const messages = await mq.consume("billing", "orders", 100);
 * } finally {
 *   await mq.close();
 * }
 * ```
 */
export async function openRocksMq(options: RocksMqOptions): Promise<RocksMq> {
  const resolved = resolveOptions(options);
  return new Queue(await openerOf(resolved)(resolved.engine), resolved.queue);
}

function openerOf({ kind, readOnly }: ResolvedOptions): (options: EngineOptions) => Promise<Engine> {
  if (kind === "rocksdb") return openRocksDbEngine;
  return readOnly ? openReadOnlySegmentEngine : openSegmentEngine;
}
