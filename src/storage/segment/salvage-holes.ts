/**
 * The holes of a log, and for each of them which ids stand around it, channel by channel:
 *
 *     orders 41 42 │ stock 7 │ ░░░░░░ │ orders 46 │ …          around the hole: orders, behind 42 and before 46; of stock nothing is known to be missing
 */
import type { Checkpoint } from "./checkpoint.js";
import { isBefore, type Position } from "./position.js";
import type { Gap } from "./salvage-scan.js";
import type { BadPlace } from "./segment-verify.js";

/** The ids of one channel around a hole. Some between them may be lost; what was never stored has no id to lose. */
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
}

interface OpenHole extends Omit<Hole, "around"> {
  /** What the checkpoint says of ends says nothing of what may have stood here. */
  readonly isNews: boolean;
  readonly around: { readonly channel: number; readonly lastBefore: bigint | undefined; readonly firstAfter: bigint | undefined }[];
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

  readonly #from: Position | undefined;

  constructor(checkpoint: Checkpoint | undefined) {
    this.#from = checkpoint?.position;
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
    this.#holes.push({ ...place, stretch: { start, end }, isNews, around: [] });
  }

  /** A file that is lost as a whole. */
  addFile(segment: number, { file, offset, what }: BadPlace): void {
    const isNews = this.#from === undefined || segment >= this.#from.segment;
    this.#holes.push({ file, offset, what, stretch: undefined, isNews, around: [] });
  }

  /** A batch of a channel comes by. */
  pass(channel: number, firstId: bigint, lastId: bigint): void {
    const passed = this.#of(channel);
    if (passed.nextId === undefined || firstId > passed.nextId) this.#note(channel, passed, firstId);
    passed.holes = this.#holes.length;
    passed.lastId = lastId;
    if (passed.nextId === undefined || lastId >= passed.nextId) passed.nextId = lastId + 1n;
  }

  /** The holes, once all has come by. */
  finish(nameOf: (channel: number) => string | undefined): Hole[] {
    for (const [channel, passed] of this.#passed) {
      const end = this.#ends.get(channel);
      const isShort = end === undefined || passed.nextId === undefined || passed.nextId < end;
      this.#note(channel, passed, undefined, (hole) => isShort || hole.isNews);
    }
    return this.#holes.map(({ file, offset, what, stretch, around }) => ({
      file,
      offset,
      what,
      stretch,
      around: around.flatMap(({ channel, ...ids }) => {
        const name = nameOf(channel);
        return name === undefined ? [] : [{ channel: name, ...ids }];
      }),
    }));
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
