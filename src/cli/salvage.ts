/** `tidemark salvage`: makes a sound queue out of what is left of a damaged one, which it only reads. */
import { relative, resolve } from "node:path";
import { NodeVfs } from "../base/node-vfs.js";
import { type AroundHole, type Hole, inspectSegmentStore, type SalvageReport, salvageSegmentStore } from "../storage/index.js";
import type { Command, Context } from "./command.js";
import { refuseIfInUse } from "./empty-folder.js";
import { Failure, UsageError } from "./failure.js";
import { count, counted } from "./figures.js";
import { FolderBefore } from "./folder-before.js";
import { json } from "./json.js";
import { jsonOption } from "./option.js";
import { Progress } from "./progress.js";
import { queueFolder, storeIn } from "./store-folder.js";
import { tableLines } from "./table.js";

/** Channels shown a hole; `--json` has all. */
const mostAround = 5;

/** `tidemark salvage`. */
export const salvageCommand: Command = {
  words: "salvage",
  operands: ["<dir>"],
  options: { to: { value: "NEW", help: "a folder that is not there yet, or empty", required: true }, ...jsonOption },
  about: "copy all that is sound in a damaged queue",
  notes: [
    "<dir> is the queue's folder, or the one that --dir names elsewhere; it is only",
    "read. NEW is the same kind of folder. Every whole batch is copied, with its ids",
    "and times, and groups and cursors, also from around missing files and without",
    "the checkpoint. Every hole is listed with file, offset and the ids around it.",
    "A channel whose name is lost is called channel-<number>. What was trimmed or",
    "destroyed stays so, as far as that is known.",
    "Exit code 0 when nothing is missing, 1 when there are holes: the copy is there,",
    "and sound, in both cases.",
  ],
  run: async (args, context) => {
    const to = args.text("to");
    if (to === undefined) throw new UsageError("--to is missing: the folder that the copy goes to");
    const dir = args.operand("dir");
    const from = await storeIn(dir);
    await refuseIfInUse(resolve(to), `--to ${to}`);
    if (!relative(resolve(dir), resolve(to)).startsWith("..")) throw new UsageError(`--to ${to} lies inside ${dir}, which is only read`);
    const report = await copy(from, from === dir ? to : queueFolder(to), context);
    await context.stdout.lines(args.flag("json") ? [json(asJson(report))] : reportLines(report, context.stdout.tableColumns));
    failIfHoles(report);
  },
};

async function copy(from: string, to: string, { stderr, clock, signal }: Context): Promise<SalvageReport> {
  const vfs = new NodeVfs();
  const progress = new Progress(stderr, clock);
  const before = await FolderBefore.of(to);
  const show = (text: () => string): void => {
    // A terminal that is gone is no reason to stop.
    progress.show(text).catch(() => undefined);
  };
  try {
    const onProgress = ({ reads, of }: { reads: number; of: number }): void =>
      show(() => `read ${reads} of ${counted(of, "segment")} (each twice)`);
    const report = await salvageSegmentStore(vfs, { from, to, nowMs: clock.nowMs(), signal, onProgress });
    show(() => "checking the copy");
    const { problems } = await inspectSegmentStore(vfs, to, { verify: true });
    const [first] = problems;
    if (first !== undefined) throw new Failure(`the copy is bad in ${first.file} at offset ${first.offset}: is the disk under it sound?`);
    return report;
  } catch (error) {
    // Half a copy is no queue, and would be in the way of the next try. What went wrong first is the news.
    await before.restore().catch(() => undefined);
    throw error;
  } finally {
    await progress.clear();
  }
}

/** The figures of a channel as `channel ls` has them: 64 bits wide. */
function asJson(report: SalvageReport): object {
  const channels = report.channels.map((one) => ({ ...one, messages: BigInt(one.messages) }));
  return { ...report, messages: BigInt(report.messages), channels };
}

function reportLines(report: SalvageReport, columns: number | undefined): string[] {
  const { from, to, segments, batches, messages, channels, metadata, holes } = report;
  const head = [
    { title: "CHANNEL" },
    { title: "MESSAGES", figures: true },
    { title: "BEGINS AT ID", figures: true },
    { title: "NEXT ID", figures: true },
  ];
  const rows = channels.map((channel) => [
    channel.isNameKnown ? channel.name : `${channel.name} (its name is lost)`,
    count(channel.messages),
    String(channel.beginId),
    String(channel.endId),
  ]);
  return [
    `from      ${from}: ${counted(segments, "segment")} read, nothing written`,
    `to        ${to}: read back and checked`,
    `copied    ${counted(messages, "message")} in ${count(batches)} batches; ${counted(metadata, "entry")} of groups, cursors and channels`.replace(
      "entrys",
      "entries",
    ),
    "",
    ...tableLines(head, rows, columns),
    "",
    ...holes.flatMap(holeLines),
    ...(holes.length === 0 ? ["nothing is missing"] : []),
  ];
}

function holeLines({ file, offset, what, stretch, around, mayHoldCopies }: Hole): string[] {
  const bytes = stretch === undefined ? "" : ` (${count(stretch.end - stretch.start)} bytes)`;
  const more = around.length - mostAround;
  return [
    `hole: ${file} at offset ${offset}${bytes}: ${what}`,
    ...around.slice(0, mostAround).map((ids) => `      ${aroundText(ids)}`),
    ...(more > 0 ? [`      and on ${counted(more, "channel")} more; --json lists them`] : []),
    ...(mayHoldCopies ? ["      any channel: older messages, which compaction had copied to here"] : []),
    ...(around.length === 0 && !mayHoldCopies ? ["      no message was lost there"] : []),
  ];
}

function aroundText({ channel, lastBefore, firstAfter }: AroundHole): string {
  const before = lastBefore === undefined ? "from its beginning on" : `behind id ${lastBefore}`;
  const after = firstAfter === undefined ? "to its end" : `before id ${firstAfter}`;
  return `${channel}: ${before}, ${after}`;
}

function failIfHoles({ holes, from, to }: SalvageReport): void {
  const [first] = holes;
  if (first === undefined) return;
  throw new Failure(
    `${counted(holes.length, "hole")} in ${from}, the first in ${first.file} at offset ${first.offset}; all that is sound is in ${to}`,
  );
}
