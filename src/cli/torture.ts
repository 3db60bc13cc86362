/**
 * `tidemark torture`: the crash test on the user's own disk. Kills a writer again and again, and compares what it was told with what is there.
 */
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Command, Context } from "./command.js";
import { makeFolder, refuseIfInUse } from "./empty-folder.js";
import { Failure, sentenceOf, UsageError } from "./failure.js";
import { bytes, count, counted, duration } from "./figures.js";
import { FolderBefore } from "./folder-before.js";
import { json } from "./json.js";
import { jsonOption } from "./option.js";
import { Progress } from "./progress.js";
import { torture, type TortureReport } from "./torture/torture-run.js";
import { isInMemory } from "./tour/folder.js";

/** A month. */
const mostSeconds = 31 * 24 * 3600;

/** `tidemark torture`. */
export const tortureCommand: Command = {
  words: "torture",
  operands: ["<dir>"],
  options: { seconds: { value: "N", help: "go on for so long", required: true }, ...jsonOption },
  about: "kill a writer on this disk again and again",
  notes: [
    "<dir> is a folder that is not there yet, or empty, on the disk to be tested. A",
    "writer process produces, consumes, trims, makes and destroys channels there,",
    "and is killed (SIGKILL) at random moments, in its recovery too. After each kill",
    "everything is read and compared with what it had been told. At the end the",
    "folder is as it was before; when something is wrong, it stays as evidence.",
    "A killed process is no power cut: see docs/guarantees.md for what this proves.",
    "Exit code 0 when every promise was kept, 1 when not.",
  ],
  run: async (args, context) => {
    const seconds = args.count("seconds", mostSeconds);
    if (seconds === undefined) throw new UsageError("--seconds is missing: how long to go on");
    const folder = resolve(args.operand("dir"));
    await refuseIfInUse(folder, args.operand("dir"));
    const before = await FolderBefore.of(folder);
    await makeFolder(folder);
    const note = (await isInMemory(folder).catch(() => false)) ? [memoryNote] : [];
    const report = await run(folder, before, seconds, context);
    await context.stdout.lines(args.flag("json") ? [json(report)] : [...reportLines(report), ...note]);
    const [first] = report.problems;
    if (first !== undefined) {
      throw new Failure(`the queue broke its promise: ${first}. All of it is kept in ${folder}: please report this, with the folder`);
    }
  },
};

const memoryNote = "note: that folder is in memory; name one on the disk that matters";

/** The folder is as it was before, unless there is evidence in it. */
async function run(folder: string, before: FolderBefore, seconds: number, { stderr, clock, signal }: Context): Promise<TortureReport> {
  const progress = new Progress(stderr, clock);
  const onProgress = (report: TortureReport): void => {
    // A terminal that is gone is no reason to stop.
    progress.show(() => progressText(report, clock.monotonicMs() - beganMs, seconds)).catch(() => undefined);
  };
  const beganMs = clock.monotonicMs();
  try {
    const report = await torture({ folder, seconds, clock, signal, onProgress });
    if (report.problems.length === 0) await before.restore();
    else await writeFile(join(folder, "report.json"), `${json(report)}\n`);
    return report;
  } catch (error) {
    if (signal.aborted) {
      await before.restore();
      throw error;
    }
    throw new Failure(`${sentenceOf(error)} (all of it is kept in ${folder})`, { cause: error });
  } finally {
    await progress.clear();
  }
}

function progressText({ kills, messages, checks }: TortureReport, ms: number, seconds: number): string {
  return `${Math.round(ms / 1000)} s of ${seconds}: ${counted(kills, "kill")}, ${count(messages)} messages acked, ${counted(checks, "check")}, nothing wrong`;
}

function reportLines(report: TortureReport): string[] {
  const { folder, seconds, kills, killsInOpening, acks, messages, recoveries, droppedBytes, checks, messagesRead, problems } = report;
  return [
    `tortured  ${folder} for ${duration(seconds * 1000)}`,
    `kills     ${count(kills)} by SIGKILL: ${count(kills - killsInOpening)} at work, ${count(killsInOpening)} while opening`,
    `acked     ${counted(messages, "message")} in ${count(acks)} batches, ${bytes(report.bytes)}`,
    `opened    ${counted(recoveries, "time")} after an unclean stop, in at most ${duration(report.slowestOpenMs)}; dropped ${bytes(droppedBytes)} of torn writes`,
    `checked   ${counted(checks, "time")}: ${counted(messagesRead, "message")} read and compared`,
    "",
    ...(problems.length === 0 ? proofLines(kills) : problems.map((problem) => `wrong: ${problem}`)),
    ...(problems.length === 0 ? ["", `Nothing is left of it in ${folder}.`] : []),
  ];
}

/** What was seen, and what a kill can't show. */
function proofLines(kills: number): string[] {
  return [
    `Proved: over ${counted(kills, "kill")} nothing that was acked was lost, no batch torn, no id given out twice, no`,
    "order changed; nothing trimmed or destroyed came back, and nothing consumed was given again.",
    "Not proved: that this disk keeps what it says it has synced. A killed process leaves the system and",
    "its cache alive; only cutting the power can show that. The queue asks for it with fdatasync before",
    "each ack, and trusts the disk's answer.",
  ];
}
