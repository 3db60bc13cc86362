/**
 * The rules of the log, each broken in one build of the engine; every one must be found. V… are the traces of log-rules.md, section 2.
 *
 * Not among them, since there is nothing here to break yet or any more: V5 (frames have no group numbers), V13 (there is no close record),
 * V21–V23 (readers beside a writer), V25 (an index is written after its segment's end only, so the check of it stands alone).
 */
import type { Edit } from "./test-build.js";

/** One broken rule. */
export interface Mutant {
  /** The trace it opens the door to. */
  readonly trace: string;
  readonly rule: string;
  /** Which of the searches in `search.ts` finds it. */
  readonly seenBy:
    "cuts" | "second lives" | "cuts of second lives" | "names" | "failed syncs" | "full disks" | "partial groups" | "damage" | "copies";
  readonly edits: readonly Edit[];
}

const tail = "segment/log-tail.ts";
const [replay, recovery, groups] = ["segment/replay.ts", "segment/recovery.ts", "segment/group-scan.ts"];
const [state, draft] = ["segment/log-state.ts", "turn-draft.ts"];
const [housekeeping, checkpointFile] = ["segment/housekeeping.ts", "segment/checkpoint-file.ts"];
const [reserve, extents] = ["segment/reserve.ts", "segment/extent-reader.ts"];

/** All of them. */
export const mutants: readonly Mutant[] = [
  {
    trace: "V1",
    rule: "a segment ends where its successor's header says, not where its file does",
    seenBy: "cuts of second lives",
    edits: [
      { file: replay, from: "new GroupScan({ ...bytes, buffer: buffer.subarray(0, end) })", to: "new GroupScan(bytes)" },
      { file: replay, from: "if (scan.at !== end)", to: "if (scan.at !== buffer.length)" },
    ],
  },
  {
    trace: "V2",
    rule: "recovery makes the tail durable before anything follows it",
    seenBy: "cuts of second lives",
    edits: [{ file: recovery, from: "if (last !== undefined) await rewriteTail(vfs, dir, last);", to: "" }],
  },
  {
    trace: "V3",
    rule: "recovery writes the tail again: a sync alone may be a no-op after one that failed",
    seenBy: "failed syncs",
    edits: [{ file: recovery, from: "await file.write([last.buffer.subarray(from, last.end)], from);", to: "" }],
  },
  {
    trace: "V3, read again",
    rule: "the tail is written again out of the bytes that were parsed",
    seenBy: "failed syncs",
    edits: [
      {
        file: recovery,
        from: "await file.write([last.buffer.subarray(from, last.end)], from);",
        to: "const again = Buffer.alloc(last.end - from); await file.read(again, from); await file.write([again], from);",
      },
    ],
  },
  {
    trace: "V3, the header",
    rule: "a header counts as it was read first: after a failed sync of it a second read may not show it",
    seenBy: "failed syncs",
    edits: [
      {
        file: replay,
        from: "withHeader(read, header.frame.bytes)",
        to: "read",
      },
    ],
  },
  {
    trace: "V4",
    rule: "a roll syncs the old segment first",
    seenBy: "cuts",
    edits: [{ file: tail, from: "if (this.isDirty) await this.sync();", to: "" }],
  },
  {
    trace: "V6",
    rule: "a group counts only whole",
    seenBy: "cuts",
    edits: [
      {
        file: groups,
        from: "if (frame === undefined || !follows(frame, frames.at(-1))) return undefined;",
        to: "if (frame === undefined) return undefined;",
      },
      { file: groups, from: "if (frame.last) break;", to: "break;" },
    ],
  },
  {
    trace: "V7",
    rule: "the frames of a group are chained, so that two groups never make a third",
    seenBy: "partial groups",
    edits: [{ file: groups, from: "!frame.first && frame.previous === before.crc", to: "!frame.first" }],
  },
  {
    trace: "V8",
    rule: "nothing is appended to a segment that another open made",
    seenBy: "cuts of second lives",
    edits: [
      {
        file: tail,
        from: "  needsRoll(groupBytes: number): boolean {\n",
        to: `  needsRoll(groupBytes: number): boolean {
          if (!this.#open && !this.#rolled && this.#start.end.segment > 0) {
            this.continued = this.#start.end.segment;
            this.#seed = segmentSeed(this.#start.storeId, this.#start.end.segment);
            this.#open = true;
          }\n`,
      },
      {
        file: tail,
        from: "    const { segment, offset } = this.#end;\n",
        to: `    if (this.continued !== undefined) await this.#writer.open(this.continued, "write");
             this.continued = undefined;
             const { segment, offset } = this.#end;\n`,
      },
    ],
  },
  {
    trace: "V9",
    rule: "a segment goes only after a checkpoint that does not list it is durable",
    seenBy: "cuts",
    edits: [
      {
        file: housekeeping,
        from: "const isWritten = await this.#replace(bytes, mayUseReserve);",
        to: "await this.#unlinkDead(); const isWritten = await this.#replace(bytes, mayUseReserve);",
      },
    ],
  },
  {
    trace: "V9, the rename",
    rule: "a checkpoint counts as durable only once its directory is synced",
    seenBy: "cuts",
    edits: [{ file: checkpointFile, from: "await fatal(vfs.syncDirectory(dir));", to: "" }],
  },
  {
    trace: "V10",
    rule: "the log is synced up to a checkpoint's position before the checkpoint is written",
    seenBy: "cuts",
    edits: [{ file: housekeeping, from: "if (tail.isDirty) {", to: "if (false) {" }],
  },
  {
    trace: "V10, the file",
    rule: "a checkpoint's bytes are synced before they take the old one's place",
    seenBy: "cuts",
    edits: [{ file: checkpointFile, from: "await fatal(file.sync());", to: "" }],
  },
  {
    trace: "V11",
    rule: "the directory is synced after a segment is made, before the first ack in it",
    seenBy: "cuts",
    edits: [{ file: tail, from: "if (prefilled === undefined) await this.#writer.syncNames();", to: "" }],
  },
  {
    trace: "V12",
    rule: "names that are only in the cache are not trusted at open",
    seenBy: "names",
    edits: [
      { file: recovery, from: "await vfs.syncDirectory(dir);\n", to: "" },
      { file: recovery, from: "if (last === undefined) await replaceFirst(", to: "if (last === undefined) void (" },
    ],
  },
  {
    trace: "V14",
    rule: "an open is clean only if nothing follows the clean checkpoint",
    seenBy: "second lives",
    edits: [
      {
        file: replay,
        from: "clean && (last === undefined || (last.number === position.segment && last.end === position.offset))",
        to: "clean && position !== undefined",
      },
      {
        file: housekeeping,
        from: "const head = { storeId,",
        to: "if (!o.clean && tail.end.segment > 0) return true; const head = { storeId,",
      },
    ],
  },
  {
    trace: "V16",
    rule: "after an unclean stop ids go on above the ceiling, in every mode",
    seenBy: "second lives",
    edits: [{ file: state, from: "for (const channel of this.#byNumber.values()) channel.lastId = channel.ceiling;", to: "" }],
  },
  {
    trace: "V15",
    rule: "a destroy's floor is the last id given out or the ceiling, not the end",
    seenBy: "second lives",
    edits: [{ file: draft, from: "max(this.floor, max(channel.lastId, channel.ceiling))", to: "max(this.floor, channel.endId - 1n)" }],
  },
  {
    trace: "V17",
    rule: "durableThrough says what was synced, not what was written",
    seenBy: "cuts",
    edits: [{ file: tail, from: "durableThrough: this.#durable, term", to: "durableThrough: this.#end, term" }],
  },
  {
    trace: "V18",
    rule: "a segment is closed for good from the first byte of its successor's header on, also if the first group there does not fit",
    seenBy: "full disks",
    edits: [
      {
        file: tail,
        from: "    this.#open = false;\n",
        to: "    this.#open = false; this.before = { end: this.#end, seed: this.#seed, durable: this.#durable };\n",
      },
      {
        file: tail,
        from: "if (isDiskFull(error)) await fatal(this.#writer.truncate(offset));",
        to: `if (isDiskFull(error)) await fatal(this.#writer.truncate(offset));
          if (isDiskFull(error) && offset === segmentHeaderBytes && this.before.seed !== 0) {
            await this.#writer.open(this.before.end.segment, "write");
            [this.#end, this.#seed, this.#durable] = [this.before.end, this.before.seed, this.before.durable];
            this.#limit += 4096;
          }`,
      },
    ],
  },
  {
    trace: "V19",
    rule: "zeros are no end: a reader that misses what should be there says so",
    seenBy: "damage",
    edits: [
      { file: extents, from: "if (peeked === undefined) throw this.#damaged(buffer, span);", to: "if (peeked === undefined) break;" },
      { file: extents, from: "if (count !== span.count) throw this.#damaged(buffer, span);", to: "" },
    ],
  },
  {
    trace: "V20",
    rule: "witnesses are looked for behind the first bad frame too",
    seenBy: "damage",
    edits: [
      {
        file: replay,
        from: "for (const frame of framesAnywhere(bytes, scan.at)) durable = laterOf(durable, frame.durableThrough);",
        to: "",
      },
    ],
  },
  {
    trace: "V9, copies",
    rule: "what was copied goes only after a checkpoint that does not list it is durable",
    seenBy: "copies",
    edits: [
      {
        file: housekeeping,
        from: "if (this.#parts.state.segments.dead.size > this.#stuck) await",
        to: "if (this.#parts.state.segments.dead.size > this.#stuck) await this.#unlinkDead(), await",
      },
    ],
  },
  {
    trace: "V23, the writer's own readers",
    rule: "a copy is placed by its ids, not by where it stands in the log",
    seenBy: "copies",
    edits: [{ file: state, from: "indexFrom(runs, baseId)", to: "runs.length" }],
  },
  {
    trace: "V24",
    rule: "a copy never moves the last id",
    seenBy: "copies",
    edits: [{ file: state, from: "channel.moves++;\n    return", to: "channel.lastId = lastId;\n    return" }],
  },
  {
    trace: "V24, the end",
    rule: "a copy is no append",
    seenBy: "copies",
    edits: [{ file: state, from: "if (batch.rest !== undefined) return this.#move(batch, batch.rest);", to: "" }],
  },
  {
    trace: "copies, half a run",
    rule: "how much of a run is left behind its copies is known however a crash cuts them",
    seenBy: "copies",
    edits: [{ file: state, from: "source.count = taken.rest;", to: "" }],
  },
  {
    trace: "copies, twice",
    rule: "an original that was copied is dead",
    seenBy: "copies",
    edits: [
      {
        file: state,
        from: "if (source !== undefined && source.firstId <= lastId && source.segment !== batch.segment) {",
        to: "if (source === undefined) {",
      },
    ],
  },
  {
    trace: "V26",
    rule: "the reserve is given up for what frees space",
    seenBy: "full disks",
    edits: [{ file: reserve, from: "if (this.#bytes === 0) return false;", to: "if (this.#bytes >= 0) return false;" }],
  },
];
