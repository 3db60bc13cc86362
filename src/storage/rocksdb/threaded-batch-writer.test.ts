import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { ThreadedBatchWriter } from "./threaded-batch-writer.js";

/** A thread that never answers. */
class SilentThread extends EventEmitter {
  postMessage(): void {}
  ref(): void {}
  unref(): void {}
  async terminate(): Promise<void> {}
}

it("a database's thread that exits without an error ends whoever waits for it, and whoever asks later", async () => {
  const thread = new SilentThread();
  const writer = new ThreadedBatchWriter(thread);
  const waiting = writer.write([], true);

  thread.emit("exit", 3);

  await expect(waiting).rejects.toThrow("the database's thread ended: exit code 3");
  await expect(writer.sweep([])).rejects.toThrow("exit code 3");
});
