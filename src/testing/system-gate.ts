/**
 * Where every operation of a `MemoryVfs` passes: it takes its microtask there, learns how it is to go, and stops for good when the disk is
 * dead or the process halted.
 */
import type { Course, FaultPlan, Operation } from "./fault-plan.js";
import { SystemError } from "./system-error.js";

/** Lets operations of one process through to its disk. */
export class SystemGate {
  readonly plan: FaultPlan;
  /** Why nothing gets through any more. */
  #closed: string | undefined;

  constructor(plan: FaultPlan) {
    this.plan = plan;
  }

  close(why: string): void {
    this.#closed = why;
  }

  /** Resolves when it is the operation's turn; a planned failure is the caller's to carry out. */
  async enter(op: Operation["op"], path: string, detail = "", creates = false): Promise<Exclude<Course, { kind: "never" }>> {
    await this.step(op, path);
    const course = this.plan.next(op, path, detail, creates);
    return course.kind === "never" ? never() : course;
  }

  /** As `enter`, for operations whose failure leaves nothing behind. */
  async pass(op: Operation["op"], path: string, detail = "", creates = false): Promise<void> {
    const course = await this.enter(op, path, detail, creates);
    if (course.kind === "fails") throw this.planned(course.code, op, path);
  }

  /** A microtask, for what works on a dead disk too; a halted process never gets past it. */
  async turn(): Promise<void> {
    await Promise.resolve();
    if (this.plan.halted) await never();
  }

  /** As `turn`, and the disk may have died meanwhile. */
  async step(syscall: string, path: string): Promise<void> {
    await this.turn();
    if (this.#closed !== undefined) throw new SystemError("EIO", syscall, path, this.#closed);
  }

  planned(code: "EIO" | "ENOSPC", syscall: string, path: string): SystemError {
    return new SystemError(code, syscall, path, "planned by failNext");
  }
}

/** What a halted process waits for. */
function never<T>(): Promise<T> {
  return new Promise<T>(() => undefined);
}
