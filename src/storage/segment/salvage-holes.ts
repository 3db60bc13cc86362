/**
 * The holes of a log, and for each of them which ids stand around it, channel by channel:
 *
 *     orders 41 42 │ stock 7 │ ░░░░░░ │ orders 46 │ …          around the hole: orders, behind 42 and before 46; of stock nothing is known to be missing
 */
import type { Checkpoint } from "./checkpoint.js";
import type { Frame } from "./frame.js";
import { isBefore, type Position } from "./position.js";
import type { Gap } from "./salvage-scan.js";
import { type MissingRun, RunTally } from "./salvage-tally.js";
import type { BadPlace } from "./segment-verify.js";

/** What may be lost of one channel has ids between these two; what was never stored has no id to lose. */
export interface AroundHole {
  readonly channel: string;
  /** Undefined when nothing of the channel is left before it. */
  readonly lastBefore: bigint | undefined;
  /** Undefined when nothing of the channel is left behind it. */
  readonly firstAfter: bigint | undefined;
}

/** A part of the log that is lost. */
export interface Hole extends BadPlace {
  /** The stretch of the file that holds no whole group; undefined when it is a file as a whole. */
  readonly stretch: { readonly start: number; readonly end: number } | undefined;
  readonly around: readonly AroundHole[];
  /** Older messages of any channel, which had been copied forward to here before their own segment went, may be lost too. */
  readonly mayHoldCopies: boolean;
}

interface OpenHole extends Omit<Hole, "around" | "mayHoldCopies"> {
  readonly segment: number;
  /** What the checkpoint says of ends says nothing of what may have stood here. */
  readonly isNews: boolean;
  readonly around: (Pick<AroundHole, "lastBefore" | "firstAfter"> & { readonly channel: number })[];
}

/** Where a channel stands in the log. */
interface Passed {
  /** Of the batches that came by; undefined when none did. */
  lastId: bigint | undefined;
  /** What comes next if nothing is missing; undefined when nobody knows. */
  nextId: bigint | undefined;
  /** How many holes there were when its last batch came by. */
  holes: number;
}

/** Told of holes and batches in the order of the log. */
export class HoleLedger {
  readonly #holes: OpenHole[] = [];
  readonly #passed = new Map<number, Passed>();
  /** Where channels were to end, as the checkpoint says. */
  readonly #ends = new Map<number, bigint>();
  readonly #tally: RunTally;
  readonly #from: Position | undefined;

  constructor(checkpoint: Checkpoint | undefined) {
    this.#from = checkpoint?.position;
    this.#tally = new RunTally(checkpoint);
    for (const { number, beginId, endId } of checkpoint?.state.channels() ?? []) {
      this.#ends.set(number, endId);
      // What is before its begin is missed by nobody.
      this.#passed.set(number, { lastId: undefined, nextId: beginId, holes: 0 });
    }
  }

  get isEmpty(): boolean {
    return this.#holes.length === 0;
  }

  add(segment: number, { start, end, ...place }: Gap): void {
    const isNews = this.#from === undefined || isBefore(this.#from, { segment, offset: end });
    this.#holes.push({ ...place, segment, stretch: { start, end }, isNews, around: [] });
  }

  /** A file that is lost as a whole. */
  addFile(segment: number, { file, offset, what }: BadPlace): void {
    const isNews = this.#from === undefined || segment >= this.#from.segment;
    this.#holes.push({ file, offset, what, segment, stretch: undefined, isNews, around: [] });
  }

  /** A batch stands whole in a segment, a copy too. */
  saw(segment: number, frame: Frame): void {
    this.#tally.saw(segment, frame);
  }

  /** A batch comes by where it was appended: where a copy stands says nothing of what is missing around it. */
  pass(channel: number, firstId: bigint, lastId: bigint): void {
    const passed = this.#of(channel);
    if (passed.nextId === undefined || firstId > passed.nextId) this.#note(channel, passed, firstId);
    passed.holes = this.#holes.length;
    passed.lastId = lastId;
    if (passed.nextId === undefined || lastId >= passed.nextId) passed.nextId = lastId + 1n;
  }

  /** The holes, once all has come by. `someAreGone`: segments were removed, maybe after what lived in them was copied. */
  finish(nameOf: (channel: number) => string | undefined, o: { readonly someAreGone: boolean }): Hole[] {
    for (const [channel, passed] of this.#passed) {
      const end = this.#ends.get(channel);
      const isShort = end === undefined || passed.nextId === undefined || passed.nextId < end;
      this.#note(channel, passed, undefined, (hole) => isShort || hole.isNews);
    }
    return this.#holes.map((hole) => {
      const { file, offset, what, stretch, segment } = hole;
      const around = this.#aroundOf(hole).flatMap(({ channel, ...ids }) => {
        const name = nameOf(channel);
        return name === undefined ? [] : [{ channel: name, ...ids }];
      });
      return { file, offset, what, stretch, around, mayHoldCopies: o.someAreGone && !this.#tally.knows(segment) };
    });
  }

  /** Where the checkpoint knows what the segment held, that counts: copies may have been lost, or nothing. */
  #aroundOf({ segment, around }: OpenHole): OpenHole["around"] {
    if (!this.#tally.knows(segment)) return around;
    return this.#tally.missingIn(segment).map((run) => {
      const found = around.find(({ channel }) => channel === run.channel);
      return { channel: run.channel, ...closerIds(run, found) };
    });
  }

  /** Of the holes since the channel's last batch. */
  #note(
    channel: number,
    { lastId: lastBefore, holes }: Passed,
    firstAfter: bigint | undefined,
    concerns: (hole: OpenHole) => boolean = () => true,
  ): void {
    for (const hole of this.#holes.slice(holes)) if (concerns(hole)) hole.around.push({ channel, lastBefore, firstAfter });
  }

  #of(channel: number): Passed {
    const passed = this.#passed.get(channel) ?? { lastId: undefined, nextId: undefined, holes: 0 };
    this.#passed.set(channel, passed);
    return passed;
  }
}

/** The ends of a run, or what stands around the hole where that is inside it. */
function closerIds(
  { firstId, lastId }: MissingRun,
  found: Pick<AroundHole, "lastBefore" | "firstAfter"> | undefined,
): Omit<AroundHole, "channel"> {
  const { lastBefore = firstId - 1n, firstAfter = lastId + 1n } = found ?? {};
  return {
    lastBefore: lastBefore >= firstId && lastBefore <= lastId ? lastBefore : firstId - 1n,
    firstAfter: firstAfter >= firstId && firstAfter <= lastId ? firstAfter : lastId + 1n,
  };
}
