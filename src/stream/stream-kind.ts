/**
 * What tells a plain stream from a time-tick stream: how it reads places, and what it makes packs of.
 */
import type { Clock } from "../base/clock.js";
import type { LogBackend, ReadStart } from "../backend/index.js";
import type { MsgPosition } from "../message/index.js";
import type { Aligner } from "./align/aligner.js";
import { LockstepAligner } from "./align/lockstep-aligner.js";
import { beforeAllIds, readStart } from "./align/place.js";
import { WatermarkAligner } from "./align/watermark-aligner.js";
import type { StreamSettings, TtSettings } from "./options.js";
import type { PackQueue } from "./pack-queue.js";
import type { PackSource } from "./pack-source.js";
import { PlainSource } from "./plain-source.js";
import type { RecordReader } from "./record-reader.js";
import type { Stall } from "./stall-watch.js";
import { TtSource } from "./tt-source.js";

/** How batches are read. */
export interface BatchBounds {
  readonly maxRecords: number;
  readonly maxBytes: number;
}

/** What a source needs of its stream. */
export interface SourceParts {
  readonly queue: PackQueue;
  readonly records: RecordReader;
  readonly clock: Clock;
  readonly onStall: (stall: Stall | undefined) => void;
}

/** One of the two kinds of stream. */
export interface StreamKind {
  /** Whether `inclusive` means something to a seek. */
  readonly takesInclusive: boolean;
  /** Where reading begins for a position that a seek, or a pack's end, says. */
  startOf(position: MsgPosition, inclusive: boolean): ReadStart;
  batches(channels: number): BatchBounds;
  newSource(parts: SourceParts): PackSource;
}

const mebibyte = 1024 * 1024;

/** Of a pack of a plain stream, as stored. What it decodes to takes a multiple, and in larger packs outlives the young generation: reading takes twice the time then. */
const mostPackBytes = 128 * 1024;

/** Goes on behind the message of a position. */
export function plainKind({ packMessages, bufferBytes }: StreamSettings): StreamKind {
  return {
    takesInclusive: true,
    startOf: ({ msgId }, inclusive) => (msgId === undefined ? "earliest" : inclusive ? { at: msgId } : { after: msgId }),
    batches: () => ({ maxRecords: packMessages, maxBytes: Math.min(bufferBytes, mostPackBytes) }),
    newSource: ({ queue, records, clock }) => new PlainSource(queue, records, clock),
  };
}

/** Goes on as the aligner needs it. */
export function ttKind(backend: LogBackend, settings: TtSettings): StreamKind {
  return {
    takesInclusive: false,
    startOf: readStart,
    // A batch of each channel, and what is ahead of them, is well within half of what may be held.
    batches: (channels) => ({
      maxRecords: 1_000,
      maxBytes: Math.max(1, Math.min(mebibyte, Math.floor(settings.alignBytes / (8 * channels)))),
    }),
    newSource: (parts) => new TtSource({ ...parts, aligner: newAligner(backend, settings), settings }),
  };
}

function newAligner(backend: LogBackend, { alignment, dedupe, pursuit }: TtSettings): Aligner {
  const options = { dedupe, beforeAll: beforeAllIds(backend.name) };
  switch (alignment) {
    case "watermark":
      return new WatermarkAligner(options);
    case "lockstep":
      return new LockstepAligner(options, pursuit);
  }
}
