/** `tidemark stream produce`, as the command line knows it. What runs is loaded when it does: messages and streams take a fifth of a second. */
import type { Command } from "../command.js";
import { dirOption, jsonOption } from "../option.js";

/** `tidemark stream produce`. */
export const streamProduceCommand: Command = {
  words: "stream produce",
  operands: ["<channel…>"],
  options: {
    file: { value: "F", help: "read this file; default -, standard input" },
    format: { value: "F", help: "lines (default) or ndjson, as in tidemark produce" },
    key: { value: "P", help: "the property whose value chooses the channel; default: the payload chooses" },
    batch: { value: "N", help: "at most N messages before the next tick; default 1000" },
    ...dirOption,
    ...jsonOption,
  },
  about: "store lines or JSON objects as one stream, spread over channels, with time ticks",
  notes: [
    "Channels that are not there are made. The messages of a batch get their timestamps when it has come in; once all of it is durable each channel gets a tick.",
    "Messages with one key go to one channel, as long as the channels are given in the same order.",
    "When a batch fails, it stops, and says how many messages were acked before: these are safe, and are the beginning of the input.",
  ],
  run: async (args, context) => {
    const { produce } = await import("./produce.js");
    await produce(args, context);
  },
};
