/** `tidemark inspect`: looks into a queue's files without opening the queue, beside a running program too, and writes nothing. */
import { NodeVfs } from "../base/node-vfs.js";
import { type InspectedBatch, inspectSegmentStore, type StoreReport } from "../storage/index.js";
import { openRocksMq } from "../rocksmq/index.js";
import type { Arguments } from "./arguments.js";
import type { Command, Context } from "./command.js";
import { Failure, UsageError } from "./failure.js";
import { counted } from "./figures.js";
import { batchLines, reportLines } from "./inspect-text.js";
import { json } from "./json.js";
import { jsonOption } from "./option.js";
import { Progress } from "./progress.js";
import { storeIn } from "./store-folder.js";

/** Messages decoded and printed at a time. */
const decodedAtATime = 1_000;

/** `tidemark inspect`. */
export const inspectCommand: Command = {
  words: "inspect",
  operands: ["<dir>"],
  options: {
    verify: { help: "read every byte of the log and check it" },
    channel: { value: "C", help: "only this channel, with each of its batches" },
    decode: { value: "FORM", help: "milvus: print the messages instead, one object a line" },
    ...jsonOption,
  },
  about: "look into the files of a queue",
  notes: [
    "<dir> is the queue's folder, or the one that --dir names elsewhere. Nothing is written, and a",
    "program may have the queue open: what looks bad is read again before it is called so.",
    "Bad places are listed with file and offset, and the exit code is 1.",
    "Without --verify it reads what an open would read.",
  ],
  run: async (args, context) => {
    const channel = args.text("channel");
    if (args.text("decode") !== undefined) return decodeAll(args, channel, context);
    const batches: InspectedBatch[] = [];
    const whole = await look(args.operand("dir"), { verify: args.flag("verify"), channel, tell: (batch) => batches.push(batch) }, context);
    if (channel !== undefined && whole.problems.length === 0 && !whole.channels.some(({ name }) => name === channel)) {
      throw new Failure(`there is no channel "${channel}" in ${whole.dir}: without --channel all are listed`);
    }
    const report = channel === undefined ? whole : { ...whole, channels: whole.channels.filter(({ name }) => name === channel) };
    const columns = context.stdout.tableColumns;
    await context.stdout.lines(
      args.flag("json")
        ? [json({ ...asJson(report), ...(channel === undefined ? {} : { batches }) })]
        : [...reportLines(report, args.flag("verify"), columns), ...(channel === undefined ? [] : ["", ...batchLines(batches, columns)])],
    );
    failIfBad(report);
  },
};

/** Every message of the channel, or of all of them in turn. */
async function decodeAll(args: Arguments, channel: string | undefined, { stdout, signal }: Context): Promise<void> {
  args.choice("decode", ["milvus"]);
  if (args.flag("verify")) throw new UsageError("--decode prints messages and --verify checks bytes: give one of them");
  const { MilvusPrinter } = await import("./milvus-printer.js");
  const mq = await openRocksMq({ dir: await storeIn(args.operand("dir")), readOnly: true });
  try {
    for (const name of channel === undefined ? await mq.channels() : [channel]) {
      const printer = new MilvusPrinter(stdout, name);
      for await (const messages of mq.read(name, { from: "earliest", batch: decodedAtATime, signal }))
        await printer.print(messages, { signal });
    }
  } finally {
    await mq.close();
  }
  signal.throwIfAborted();
}

async function look(
  dir: string,
  options: { readonly verify: boolean; readonly channel: string | undefined; readonly tell: (batch: InspectedBatch) => void },
  { stderr, clock }: Context,
): Promise<StoreReport> {
  const { verify, channel, tell } = options;
  const progress = new Progress(stderr, clock);
  try {
    return await inspectSegmentStore(new NodeVfs(), await storeIn(dir), {
      verify,
      batchesOf: channel === undefined ? undefined : { channel, tell },
      onProgress: ({ segments, of }) => {
        // A terminal that is gone is no reason to stop looking.
        progress.show(() => `${segments} of ${counted(of, "segment")}`).catch(() => undefined);
      },
    });
  } finally {
    await progress.clear();
  }
}

/** The figures of a channel as `channel ls` has them: 64 bits wide. What is in one file is numbers. */
function asJson(report: StoreReport): object {
  const channels = report.channels.map((one) => ({ ...one, messages: BigInt(one.messages), bytes: BigInt(one.bytes) }));
  return { ...report, term: report.term ?? null, channels };
}

function failIfBad({ problems, dir }: StoreReport): void {
  const [first] = problems;
  if (first === undefined) return;
  const others = problems.length === 1 ? "" : `; all ${problems.length} are listed on stdout`;
  throw new Failure(`${counted(problems.length, "bad place")} in ${dir}, the first in ${first.file} at offset ${first.offset}${others}`);
}
