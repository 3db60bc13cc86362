/**
 * `tidemark consume`: messages to stdout, with a group's cursor or without.
 *
 *     without --group    reads from a place, beside a running program too; nobody's cursor moves
 *     with --group       reads from the cursor; what stdout has taken is acknowledged, and nothing else
 */
import type { RocksMq, Subscription } from "../rocksmq/index.js";
import type { Command, Context } from "./command.js";
import { UsageError } from "./failure.js";
import { MessagePrinter, type MessageWriter, type OutputFormat } from "./message-printer.js";
import { dirOption, jsonOption } from "./option.js";
import { parsePlace, type Place, placeHelp, resolvePlace } from "./place.js";
import { withQueue } from "./queue-directory.js";

/** Messages asked for, printed and acknowledged at a time. */
const batch = 5000;

/** `tidemark consume`. */
export const consumeCommand: Command = {
  words: "consume",
  operands: ["<channel>"],
  options: {
    group: { value: "G", help: "read from this group's cursor and move it; without it no cursor is touched" },
    from: { value: "PLACE", help: "earliest, latest, an id or a time; with --group its cursor moves there first" },
    max: { value: "N", help: "stop after N messages" },
    follow: { help: "at the end wait for more, until interrupted" },
    format: { value: "F", help: "lines (default), ndjson, table, bytes or milvus" },
    ...dirOption,
    ...jsonOption,
  },
  about: "print messages, oldest first",
  notes: [
    "lines   each payload and a line feed",
    "ndjson  one object a line, with id, time and properties",
    "table   for the eye: cut to the width",
    "bytes   payloads with nothing between them",
    "milvus  what Milvus's messages say, one object a line: type, timestamp, collection, rows, columns",
    "",
    "Without --group it only reads, beside a program that has the queue open too; with --follow it looks",
    "ten times a second. With --group a message is acknowledged once stdout has taken it: after a kill",
    "the last ones may come again. That nobody reads stdout any more (--follow | head) it sees when it",
    "writes the next message.",
    ...placeHelp,
  ],
  run: async (args, context) => {
    const format = args.flag("json") ? "ndjson" : args.choice("format", ["lines", "ndjson", "table", "bytes", "milvus"]);
    if (args.flag("json") && (args.text("format") ?? "ndjson") !== "ndjson")
      throw new UsageError("--json is --format ndjson: give one of them");
    const from = args.text("from");
    const task: Task = {
      channel: args.operand("channel"),
      from: from === undefined ? undefined : parsePlace(from, "--from", context.clock.nowMs()),
      max: args.count("max", Number.MAX_SAFE_INTEGER) ?? Infinity,
      follow: args.flag("follow"),
      printer: await printerOf(format, context),
      signal: context.signal,
    };
    const group = args.text("group");
    if (group === undefined) await withQueue(args, { to: "read" }, (mq) => readAlone(mq, task));
    else await withQueue(args, { to: "write" }, (mq) => readAsGroup(mq, group, task));
    // An aborted loop ends like one that is done.
    context.signal.throwIfAborted();
  },
};

interface Task {
  readonly channel: string;
  readonly from: Place | undefined;
  readonly max: number;
  readonly follow: boolean;
  readonly printer: MessageWriter;
  readonly signal: Context["signal"];
}

/** The codecs are loaded for whoever asks for them: other commands start without. */
async function printerOf(format: OutputFormat | "milvus", { stdout }: Context): Promise<MessageWriter> {
  if (format !== "milvus") return new MessagePrinter(stdout, format);
  const { MilvusPrinter } = await import("./milvus-printer.js");
  return new MilvusPrinter(stdout);
}

async function readAlone(mq: RocksMq, { channel, from = { kind: "earliest" }, max, follow, printer, signal }: Task): Promise<void> {
  const place = from.kind === "earliest" || from.kind === "latest" ? from.kind : await resolvePlace(mq, channel, from);
  const limit = max === Infinity ? undefined : max;
  const reader = mq.read(channel, { from: place, follow, batch, limit, signal });
  for await (const messages of reader) await printer.print(messages, { signal });
}

async function readAsGroup(mq: RocksMq, group: string, task: Task): Promise<void> {
  const { channel, from, max, follow } = task;
  if (from !== undefined) await mq.seek(group, channel, await resolvePlace(mq, channel, from));
  const subscription = mq.subscribe(group, channel, { ack: "manual", batch: Math.min(batch, max) });
  // Without --follow it ends where the channel ends now. The cursor has come into being with the subscription.
  const { endId, groups } = await mq.describeChannel(channel);
  const cursor = groups.find((one) => one.group === group)?.currentId;
  if (!follow && cursor !== undefined && cursor >= endId) return subscription.close();
  await printAndAck(subscription, task, follow ? undefined : endId);
}

/** Until `max` messages, `endId`, or an interrupt: at the tail at once, in the body once what stdout took is acknowledged. */
async function printAndAck(subscription: Subscription, { max, printer, signal }: Task, endId: bigint | undefined): Promise<void> {
  let left = max;
  let inBody = false;
  let closing: Promise<void> | undefined;
  const onAbort = (): void => {
    // Closed under the body it would take no acknowledgement any more.
    if (!inBody) closing = subscription.close();
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    for await (const messages of subscription) {
      inBody = true;
      const taken = messages.slice(0, left);
      await printer.print(taken, { signal });
      const last = taken.at(-1);
      if (last !== undefined) await subscription.ack(last.id);
      left -= taken.length;
      inBody = false;
      if (signal.aborted || left === 0 || (endId !== undefined && last !== undefined && last.id + 1n >= endId)) break;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    await closing;
  }
}
