// The contract, copied: tidemark/testing.
import type { Clock } from "./common.js";

/** Time stands still until told. Timers fire in order while advancing. */
export class ManualClock implements Clock {
  constructor(nowMs?: number);
  nowMs(): number;
  monotonicMs(): number;
  setTimer(ms: number, f: () => void, options?: { keepAlive?: boolean | undefined }): () => void;
  /** Moves both clocks and fires what is due, one timer at a time, one event-loop turn after each. Disk or worker work may still be under way then: await its event. */
  advance(ms: number): Promise<void>;
  /** The wall clock jumps; monotonic time does not. */
  setNowMs(ms: number): void;
}

/** The members of a disk are the storage room's to design, so the contract takes them from it. */
export type { Vfs } from "../../../src/base/vfs.js";
import type { vfs } from "../../../src/base/vfs.js";

export class MemoryVfs {
  readonly kind: "memory";
  readonly [vfs]: true;
  constructor(seed?: number);
  /** Power cut: un-synced data and names are lost in one of the ways a file system may (chosen by the seed). Open handles are dead; the result is the disk after it. */
  crash(): MemoryVfs;
  /** The nth operation from now that matches fails so, once; `fired()` says whether it did. */
  failNext(f: { op: "write" | "sync" | "open" | "unlink" | "rename" | "read" | "syncDir"; after?: number; code: "EIO" | "ENOSPC" }): {
    fired(): boolean;
  };
}
