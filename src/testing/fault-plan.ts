/**
 * What a test wants to go wrong on a `MemoryVfs`: operations that fail, and the one at which the process stops.
 *
 *     operations that change the disk    1   2   3   4   5 …
 *     haltAfter(3)                       ✓   ✓   ✓   never happens, never settles, and nothing after it does
 *     … torn                             ✓   ✓   ✓   half of it, if it is a write
 */
import { checkOptions, checkWhole, checkWord, invalid } from "../base/arguments.js";

/** The operations that can be made to fail. */
export type FaultOperation = "write" | "sync" | "open" | "unlink" | "rename" | "read" | "syncDir" | "truncate" | "list";

const faultOperations: Readonly<Record<FaultOperation, true>> = {
  write: true,
  sync: true,
  open: true,
  unlink: true,
  rename: true,
  read: true,
  syncDir: true,
  truncate: true,
  list: true,
};

/** Which operation fails, and how. */
export interface Fault {
  readonly op: FaultOperation;
  /** So many that match go well first. Default 0. */
  readonly after?: number | undefined;
  readonly code: "EIO" | "ENOSPC";
  /** Only operations on paths that match count. Default: all. */
  readonly path?: RegExp | undefined;
}

/** Says whether a fault has come to pass: a test whose fault never fired has shown nothing. */
export interface PlannedFault {
  fired(): boolean;
}

/** An operation about to be done. */
export interface Operation {
  /** Rises by one with each operation that changes the disk; for others, of the last one that did. */
  readonly number: number;
  readonly op: FaultOperation | "makeDirectory";
  readonly path: string;
  /** For a rename: the new name. For writes: where, and how much. */
  readonly detail: string;
}

/** How an operation is to go. */
export type Course =
  | { readonly kind: "well" }
  | { readonly kind: "fails"; readonly code: "EIO" | "ENOSPC" }
  | { readonly kind: "torn" }
  | { readonly kind: "never" };

interface PendingFault {
  readonly fault: Fault;
  /** Matching operations that still go well. */
  left: number;
}

const changing: ReadonlySet<Operation["op"]> = new Set(["write", "sync", "unlink", "rename", "syncDir", "truncate"]);

/** Decides for each operation, in order, how it goes. */
export class FaultPlan {
  readonly #pending = new Set<PendingFault>();
  #operations = 0;
  #haltAt = Infinity;
  #torn = false;
  #halted = false;
  #onHalt: () => void = () => undefined;
  #observer: ((operation: Operation) => void) | undefined;

  /** Operations that changed the disk, or were to. */
  get operations(): number {
    return this.#operations;
  }

  get halted(): boolean {
    return this.#halted;
  }

  fail(fault: Fault): PlannedFault {
    checkFault(fault);
    const pending: PendingFault = { fault, left: fault.after ?? 0 };
    this.#pending.add(pending);
    return { fired: () => !this.#pending.has(pending) };
  }

  haltAfter(operations: number, torn: boolean): Promise<void> {
    this.#haltAt = this.#operations + operations;
    this.#torn = torn;
    return new Promise((resolve) => (this.#onHalt = resolve));
  }

  observe(observer: ((operation: Operation) => void) | undefined): void {
    this.#observer = observer;
  }

  /** @param creates an open that makes a file changes the disk too */
  next(op: Operation["op"], path: string, detail: string, creates = false): Course {
    if (this.#halted) return { kind: "never" };
    if (creates || changing.has(op)) {
      if (this.#operations >= this.#haltAt) return this.#halt(op);
      this.#operations += 1;
    }
    this.#observer?.({ number: this.#operations, op, path, detail });
    return this.#faultFor(op, path);
  }

  #halt(op: Operation["op"]): Course {
    this.#halted = true;
    this.#onHalt();
    return this.#torn && op === "write" ? { kind: "torn" } : { kind: "never" };
  }

  #faultFor(op: Operation["op"], path: string): Course {
    for (const pending of this.#pending) {
      const { fault } = pending;
      if (fault.op !== op || (fault.path !== undefined && !fault.path.test(path))) continue;
      pending.left -= 1;
      if (pending.left >= 0) continue;
      this.#pending.delete(pending);
      return { kind: "fails", code: fault.code };
    }
    return { kind: "well" };
  }
}

/** One that matches nothing would never fire. */
function checkFault(fault: Fault): void {
  checkOptions(fault, { op: true, after: true, code: true, path: true }, "fault");
  checkWord("fault.op", fault.op, Object.keys(faultOperations));
  checkWord("fault.code", fault.code, ["EIO", "ENOSPC"]);
  checkWhole("fault.after", fault.after ?? 0, 0, Number.MAX_SAFE_INTEGER);
  if (fault.path !== undefined && !(fault.path instanceof RegExp)) throw invalid("fault.path", "a RegExp", fault.path);
}
