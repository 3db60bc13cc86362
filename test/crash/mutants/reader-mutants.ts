/**
 * The rules for whoever reads beside a writer (log-rules.md 15, and the readers' half of rule 1), each broken in one build of the reader; the
 * writer is the real one.
 */
import type { Habit } from "../read-only/writer.js";
import type { Edit } from "./test-build.js";

/** One broken rule. */
export interface ReaderMutant {
  /** The trace of log-rules.md that it opens the door to, or in short what goes wrong. */
  readonly trace: string;
  readonly rule: string;
  /** The writer beside which it is seen soonest. */
  readonly beside: Habit;
  readonly edits: readonly Edit[];
}

const [follower, groups, replay] = ["segment/log-follower.ts", "segment/group-scan.ts", "segment/replay.ts"];
const [survey, engine] = ["segment/survey.ts", "segment/read-only-engine.ts"];

/** All of them. */
export const readerMutants: readonly ReaderMutant[] = [
  {
    trace: "V6",
    beside: "full disk",
    rule: "a group counts only whole, for readers too",
    edits: [
      { file: groups, from: "if (frame.last) break;", to: "break;" },
      { file: groups, from: "before === undefined ? frame.first : !frame.first && frame.previous === before.crc", to: "true" },
    ],
  },
  {
    trace: "V7",
    beside: "full disk",
    rule: "each frame of a group carries the checksum of the one before",
    edits: [{ file: groups, from: "!frame.first && frame.previous === before.crc", to: "!frame.first" }],
  },
  {
    trace: "V21",
    beside: "forgetful",
    rule: "a segment is left only when it was read through the end that the next one's header names",
    edits: [
      { file: follower, from: "if (end > this.#loaded.at.offset) await this.#readOn();", to: "" },
      { file: follower, from: "if (end !== this.#loaded.at.offset) return false;", to: "" },
    ],
  },
  {
    trace: "V22",
    beside: "any",
    rule: "what is bad is bad only when it is so again, read after the witness",
    edits: [
      { file: "segment/second-look.ts", from: "if (error.message === badBefore || looks === mostLooks) throw error;", to: "throw error;" },
    ],
  },
  {
    trace: "V22, inspect",
    beside: "any",
    rule: "an inspection, too, reads again what is bad",
    edits: [
      { file: "segment/followed-log.ts", from: "if (isSure || looks === mostLooks) return log;", to: "if (isSure || true) return log;" },
    ],
  },
  {
    trace: "V23",
    beside: "tidy",
    rule: "a reader delivers by id: a copy comes in the place of its original, not where it stands in the log",
    edits: [{ file: "segment/log-state.ts", from: "indexFrom(runs, baseId)", to: "runs.length" }],
  },
  {
    trace: "V23, a span",
    beside: "tidy",
    rule: "a stretch of the log may hold batches of the channel that were not asked for",
    edits: [
      {
        file: "segment/extent-reader.ts",
        from: "peeked.channel === channel && peeked.baseId >= span.firstId && peeked.baseId <= span.lastId",
        to: "peeked.channel === channel",
      },
    ],
  },
  {
    trace: "the next segment gone",
    beside: "forgetful",
    rule: "a listed file that has gone may have been the next segment: load again",
    edits: [{ file: follower, from: "start === undefined || header !== undefined", to: "header !== undefined" }],
  },
  {
    trace: "the last segment gone",
    beside: "any",
    rule: "a listed file that has gone is no log that ends before it",
    edits: [
      { file: replay, from: 'if (read === undefined) throw corrupt(file, 0, "the file has gone since it was listed");', to: "" },
      { file: replay, from: "withHeader(read, header.frame.bytes)", to: "withHeader(read ?? Buffer.alloc(0), header.frame.bytes)" },
      { file: survey, from: "if (start === undefined && this.#numbers.includes(number)) throw this.#gone(number);", to: "" },
    ],
  },
  {
    trace: "a segment gone under a reader",
    beside: "any",
    rule: "a reader whose segment has gone looks again at what there is",
    edits: [{ file: engine, from: "surely: (look) => this.#surely(look),", to: "surely: (look) => look()," }],
  },
  {
    trace: "left behind by a reload",
    beside: "any",
    rule: "a reload takes the views along that readers hold",
    edits: [{ file: follower, from: "loaded.state.takeOverViews(before.state);", to: "" }],
  },
];
