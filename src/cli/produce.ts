/** `tidemark produce`: a file or a pipe becomes messages, each acked once it is on the disk. */
import type { Readable } from "node:stream";
import { isTidemarkError } from "../base/errors.js";
import type { RocksMq } from "../rocksmq/index.js";
import type { Command, Context } from "./command.js";
import { Failure, sentenceOf } from "./failure.js";
import { count, counted, rate } from "./figures.js";
import { openInput } from "./input.js";
import { json } from "./json.js";
import { readMessages } from "./message-input.js";
import { dirOption, jsonOption } from "./option.js";
import { Progress } from "./progress.js";
import { withQueue } from "./queue-directory.js";

/** `tidemark produce`. */
export const produceCommand: Command = {
  words: "produce",
  operands: ["<channel>"],
  options: {
    file: { value: "F", help: "read this file; default -, standard input" },
    format: { value: "F", help: "lines (default), ndjson or bytes" },
    batch: { value: "N", help: "at most N messages in one batch, stored whole or not at all; default 1000" },
    ...dirOption,
    ...jsonOption,
  },
  about: "store lines, JSON objects or a file, durably",
  notes: [
    "lines   each line is a message, byte for byte; only the line feed goes",
    'ndjson  each line is {"payload":"…"} or {"payloadBase64":"…"}, perhaps with "properties":{"k":"v"}; it is what consume prints: its id and time may be there too, and are given anew',
    "bytes   all of it is one message",
    "",
    "A batch is what has come in so far: a slow pipe is not waited for. When a batch",
    "fails, it stops, and says how many messages were acked before: these are safe,",
    "and are the beginning of the input.",
  ],
  run: async (args, context) => {
    const format = args.choice("format", ["lines", "ndjson", "bytes"]);
    const batch = args.count("batch", 100_000) ?? 1000;
    const file = args.text("file") ?? "-";
    const channel = args.operand("channel");
    await withQueue(args, { to: "write" }, async (mq) => {
      // Known before anything is read: a pipe can be read only once.
      await mq.describeChannel(channel);
      const { input, source } = await openInput(file, context);
      const acked = await produceAll(mq, channel, input, { format, batch, source }, context);
      await context.stdout.lines([args.flag("json") ? json({ channel, ...acked }) : ackLine(channel, acked)]);
    });
  },
};

interface Acked {
  messages: number;
  firstId: bigint | undefined;
  lastId: bigint | undefined;
}

async function produceAll(
  mq: RocksMq,
  channel: string,
  input: Readable,
  options: Parameters<typeof readMessages>[1],
  context: Context,
): Promise<Acked> {
  const acked: Acked = { messages: 0, firstId: undefined, lastId: undefined };
  const progress = new Progress(context.stderr, context.clock);
  const startedAt = context.clock.monotonicMs();
  // Wakes whoever waits for the next chunk, too.
  const stop = (): void => void input.destroy();
  context.signal.addEventListener("abort", stop, { once: true });
  try {
    context.signal.throwIfAborted();
    // One batch at a time: the next is not begun before this one is safe, so that what was acked is always a beginning of the input.
    for await (const messages of readMessages(input, options)) {
      const { firstId, lastId } = await mq.produce(channel, messages);
      acked.messages += messages.length;
      acked.firstId ??= firstId;
      acked.lastId = lastId;
      context.signal.throwIfAborted();
      await progress.show(
        () =>
          `acked ${counted(acked.messages, "message")}, ${rate((acked.messages * 1000) / (context.clock.monotonicMs() - startedAt))} a second`,
      );
    }
    context.signal.throwIfAborted();
    return acked;
  } catch (error) {
    await progress.clear();
    if (!context.signal.aborted) throw withCount(error, acked, channel);
    await context.stderr.lines([`interrupted: ${ackLine(channel, acked)}`]);
    context.signal.throwIfAborted();
    return acked;
  } finally {
    context.signal.removeEventListener("abort", stop);
    input.destroy();
    await progress.clear();
  }
}

/** Adds what the caller must know to go on: how much of the input is safe. */
function withCount(error: unknown, acked: Acked, channel: string): Error {
  const unsure = isTidemarkError(error) && error.effect === "unknown" ? "; the batch behind that may be there too" : "";
  if (acked.messages === 0 && unsure === "" && error instanceof Error) return error;
  return new Failure(`${sentenceOf(error)} (before that, ${ackLine(channel, acked)}${unsure})`, { cause: error });
}

function ackLine(channel: string, { messages, firstId, lastId }: Acked): string {
  const ids = firstId === undefined || lastId === undefined ? "" : `, ids ${firstId} to ${lastId}`;
  return `acked ${count(messages)} message${messages === 1 ? "" : "s"} on ${channel}${ids}`;
}
