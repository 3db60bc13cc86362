/**
 * Whether all is there that the checkpoint knows of: a hole in a segment in which a channel had nothing more to lose is none of its.
 *
 *     checkpoint   a: 7 messages from 11 to 17 in segment 3          came by in segment 3: 11–13, 14–17          a misses nothing there
 *
 * Only of segments before that of the checkpoint's position does it know what they hold.
 */
import type { Run } from "./channel-state.js";
import type { Checkpoint } from "./checkpoint.js";
import { lastIdOf, type Frame } from "./frame.js";

/** A run that the checkpoint has. */
interface Expected extends Pick<Run, "firstId" | "lastId" | "count"> {
  seen: number;
  /** What comes by again below it counts once. */
  seenTo: bigint;
}

/** A run of which less came by than there was. */
export interface MissingRun extends Pick<Run, "firstId" | "lastId"> {
  readonly channel: number;
}

/** Told of every batch that comes by, copies too. */
export class RunTally {
  /** By segment, then by channel number: a channel may have a run in each of thousands of segments. */
  readonly #runs = new Map<number, Map<number, Expected[]>>();
  /** The first segment of which the checkpoint does not know all. */
  readonly #firstUnknown: number;

  constructor(checkpoint: Checkpoint | undefined) {
    this.#firstUnknown = checkpoint?.position.segment ?? 0;
    for (const { number, runs } of checkpoint?.state.channels() ?? []) for (const run of runs) this.#expect(number, run);
  }

  /** A batch stands whole in the segment. */
  saw(segment: number, frame: Frame): void {
    const lastId = lastIdOf(frame);
    for (const run of this.#runs.get(segment)?.get(frame.channel) ?? []) {
      if (frame.baseId > run.lastId || lastId < run.firstId) continue;
      const from = frame.baseId > run.seenTo ? frame.baseId : run.seenTo + 1n;
      const to = lastId < run.lastId ? lastId : run.lastId;
      if (to < from) continue;
      run.seen += Number(to - from) + 1;
      run.seenTo = to;
    }
  }

  /** Whether all that is known of the segment is what came by, so that a hole there hides nothing else. */
  knows(segment: number): boolean {
    return segment < this.#firstUnknown;
  }

  /** The runs of a segment that it knows of which something is missing. */
  missingIn(segment: number): MissingRun[] {
    return [...(this.#runs.get(segment) ?? [])].flatMap(([channel, runs]) =>
      runs.filter(({ seen, count }) => seen < count).map(({ firstId, lastId }) => ({ channel, firstId, lastId })),
    );
  }

  #expect(channel: number, { segment, firstId, lastId, count }: Run): void {
    const inSegment = this.#runs.get(segment) ?? new Map<number, Expected[]>();
    this.#runs.set(segment, inSegment);
    const expected = inSegment.get(channel) ?? [];
    inSegment.set(channel, expected);
    expected.push({ firstId, lastId, count, seen: 0, seenTo: firstId - 1n });
  }
}
