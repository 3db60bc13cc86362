/**
 * The log's thread without a thread: both ends of its protocol in this process, so that the crash explorer can own its disk.
 */
import { EventEmitter } from "node:events";
import { InlineLogWriter, type LogWriter } from "../../src/storage/segment/log-writer.js";
import { serveLogWriter, type LogAnswer, type LogRequest } from "../../src/storage/segment/log-writer-protocol.js";
import { ThreadedLogWriter } from "../../src/storage/segment/threaded-log-writer.js";
import type { Vfs } from "../../src/base/vfs.js";

/** A threaded writer whose thread is this one. Messages arrive in a later turn, as they do between threads. */
export function inProcessThread(vfs: Vfs, dir: string): LogWriter {
  const owner = new End();
  const thread = new End();
  owner.peer = thread;
  thread.peer = owner;
  serveLogWriter(thread, new InlineLogWriter(vfs, dir));
  return new ThreadedLogWriter(owner);
}

class End extends EventEmitter {
  peer: End | undefined;

  postMessage(message: LogRequest | LogAnswer): void {
    queueMicrotask(() => this.peer?.emit("message", message));
  }

  ref(): void {
    return undefined;
  }

  unref(): void {
    return undefined;
  }

  terminate(): Promise<void> {
    return Promise.resolve();
  }
}
