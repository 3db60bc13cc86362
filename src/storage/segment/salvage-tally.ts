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
interface Expected extends Pick<Run, "segment" | "firstId" | "lastId" | "count"> {
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
  /** By channel number. */
  readonly #runs = new Map<number, Expected[]>();
  /** The first segment of which the checkpoint does not know all. */
  readonly #firstUnknown: number;

  constructor(checkpoint: Checkpoint | undefined) {
    this.#firstUnknown = checkpoint?.position.segment ?? 0;
    for (const { number, runs } of checkpoint?.state.channels() ?? []) {
      const expected = runs.map(({ segment, firstId, lastId, count }) => ({
        segment,
        firstId,
        lastId,
        count,
        seen: 0,
        seenTo: firstId - 1n,
      }));
      this.#runs.set(number, expected);
    }
  }

  /** A batch stands whole in the segment. */
  saw(segment: number, frame: Frame): void {
    const lastId = lastIdOf(frame);
    for (const run of this.#runs.get(frame.channel) ?? []) {
      if (run.segment !== segment || frame.baseId > run.lastId || lastId < run.firstId) continue;
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
    return [...this.#runs].flatMap(([channel, runs]) =>
      runs.filter((run) => run.segment === segment && run.seen < run.count).map(({ firstId, lastId }) => ({ channel, firstId, lastId })),
    );
  }
}
