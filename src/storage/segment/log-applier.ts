/**
 * Takes whole groups over into the state and the indexes, in log order. What stands before its position `from` is in the state already and
 * only goes into the indexes and the accounts.
 */
import { isTidemarkError } from "../../base/errors.js";
import { corrupt } from "./corrupt.js";
import { placeOf } from "./batch-place.js";
import { decodeControlRecords } from "./control-record.js";
import { bodyOf, paddedLength, type Frame } from "./frame.js";
import type { ScannedGroup } from "./group-scan.js";
import type { LogState } from "./log-state.js";
import { isBefore, type Position } from "./position.js";
import { headerIn } from "./segment-header.js";
import { SegmentIndex } from "./segment-index.js";

/** See above. */
export class LogApplier {
  /** Of every segment gone through. */
  readonly indexes = new Map<number, SegmentIndex>();
  readonly #state: LogState;
  readonly #from: Position;

  constructor(state: LogState, from: Position) {
    this.#state = state;
    this.#from = from;
  }

  /** A segment is gone through from its start. */
  beginSegment(segment: number): void {
    this.indexes.set(segment, new SegmentIndex());
    this.#state.segments.add(segment);
  }

  /** @throws `corrupt` when frames that are valid one by one make no sense together */
  take(group: ScannedGroup, segment: number, file: string): void {
    const isNews = !isBefore({ segment, offset: group.start }, this.#from);
    try {
      for (const frame of group.frames) this.#frame(frame, segment, isNews);
    } catch (error) {
      if (isTidemarkError(error, "corrupt")) throw error;
      throw corrupt(file, group.start, error instanceof Error ? error.message : String(error), error);
    }
  }

  #frame(frame: Frame, segment: number, isNews: boolean): void {
    if (frame.term > this.#state.term) this.#state.term = frame.term;
    if (frame.timeMs > this.#state.lastTimeMs) this.#state.lastTimeMs = frame.timeMs;
    switch (frame.kind) {
      case "header":
        if (isNews && headerIn(frame).unclean) this.#state.jumpToCeilings();
        return;
      case "control":
        if (isNews) for (const record of decodeControlRecords(bodyOf(frame), frame.count)) this.#state.apply(record);
        return;
      case "batch":
        return this.#batch(frame, segment, isNews);
      default:
        return frame.kind satisfies never;
    }
  }

  #batch(frame: Frame, segment: number, isNews: boolean): void {
    const place = placeOf(frame, { segment, offset: frame.offset });
    const known = isNews ? this.#state.append(place) : this.#state.count(place);
    if (known !== undefined) this.indexes.get(segment)?.add(place, frame.offset + paddedLength(place.length));
  }
}
