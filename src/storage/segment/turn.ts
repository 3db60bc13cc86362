/**
 * One turn of the log: the changes it took, what they drafted, and what becomes of each of them.
 */
import type { CeilingNeed, SegmentDraft } from "./segment-draft.js";
import type { WaitingChange } from "../waiting-change.js";

/** A change whose result only its caller knows. */
export type Handed = Pick<WaitingChange<unknown>, "ack" | "abandoned" | "run" | "waitAgain" | "settle" | "refuse" | "promise">;

/** A change that was run, and whether it stores messages or makes channels: what a full disk refuses first. */
export interface TakenChange {
  readonly change: Handed;
  readonly takesSpace: boolean;
}

/** A change that can't run before ids are below a synced ceiling. It stands in front of all others. */
export interface CeilingWait {
  readonly need: CeilingNeed;
  readonly change: Handed;
}

/** See above. */
export interface Turn {
  readonly draft: SegmentDraft;
  readonly changes: readonly TakenChange[];
  /** What its raised ceiling is for; it does without changes then. */
  readonly raisedFor?: CeilingWait | undefined;
}

/** A turn, and the change that could not be part of it. */
export interface Taken extends Turn {
  readonly ceilingWait: CeilingWait | undefined;
}

/** Changes handed in and not yet settled, in call order. */
export class ChangeQueue {
  #waiting: Handed[] = [];
  #inFlight: readonly TakenChange[] = [];
  /** While set, a turn takes only this many: changes that free space, and must not wait behind more that take it. */
  #onlyFirst: number | undefined;
  /** Settles with the changes that were put back, which those behind them may overtake; never rejects. */
  #putBack: Promise<void> | undefined;

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  push(change: Handed): void {
    this.#waiting.push(change);
  }

  /** Resolves when the newest change is settled, and all before it. Undefined when there is none. */
  settled(): Promise<void> | undefined {
    const newest = this.#waiting.findLast((change) => !change.abandoned) ?? this.#inFlight.at(-1)?.change;
    // Looked at once the newest is: that may be refused in the very turn that puts others back.
    const others = (): Promise<void> | undefined => this.#putBack;
    return newest?.promise.then(others, others);
  }

  /** Runs changes until one has to wait for a later turn, or the group is large enough. */
  take(makeDraft: () => SegmentDraft, mostBytes: number): Taken {
    let most = this.#onlyFirst ?? this.#waiting.length;
    this.#onlyFirst = undefined;
    let ceilingWait: CeilingWait | undefined;
    for (;;) {
      const draft = makeDraft();
      const { changes, end } = this.#runFirst(draft, most, mostBytes);
      const stopped = this.#waiting[end];
      if (draft.ceilingNeeded !== undefined && stopped !== undefined) ceilingWait = { need: draft.ceilingNeeded, change: stopped };
      if (draft.ceilingNeeded === undefined || !draft.drafted) {
        this.#waiting.splice(0, end);
        this.#inFlight = changes;
        return { draft, changes, ceilingWait };
      }
      // A change stopped halfway, with half of it in this draft: those before it run again, in one without it.
      most = end;
    }
  }

  /** The turn is over, whatever became of it. */
  done(): void {
    this.#inFlight = [];
  }

  /** Puts changes back in front of all others, to be taken alone. */
  putBack(changes: readonly Handed[]): void {
    for (const change of changes) change.waitAgain();
    this.#waiting.unshift(...changes);
    this.#onlyFirst = changes.length;
    this.#putBack = Promise.allSettled([this.#putBack, ...changes.map(({ promise }) => promise)]).then(() => undefined);
  }

  /** Takes a change out of the row. */
  withdraw(change: Handed): void {
    this.#waiting = this.#waiting.filter((waiting) => waiting !== change);
  }

  /** Everything that still waits. */
  drain(): Handed[] {
    return this.#waiting.splice(0);
  }

  #runFirst(draft: SegmentDraft, most: number, mostBytes: number): { changes: TakenChange[]; end: number } {
    const changes: TakenChange[] = [];
    let end = 0;
    for (; end < most && draft.group.aboutBytes < mostBytes && !draft.beginUnknown; end++) {
      const change = this.#waiting[end];
      if (change === undefined || change.abandoned) continue;
      const before = draft.spaceTaken;
      draft.beginChange(change.ack);
      const threw = change.run(draft);
      if (draft.ceilingNeeded !== undefined) {
        change.waitAgain();
        break;
      }
      changes.push({ change, takesSpace: draft.spaceTaken > before });
      if (threw && draft.drafted) draft.breakInvariant("a change threw after it had drafted something");
    }
    return { changes, end };
  }
}
