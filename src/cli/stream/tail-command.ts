/** `tidemark stream tail`, as the command line knows it. What runs is loaded when it does: messages and streams take a fifth of a second. */
import type { Command } from "../command.js";
import { dirOption, jsonOption } from "../option.js";

/** `tidemark stream tail`. */
export const streamTailCommand: Command = {
  words: "stream tail",
  operands: ["<channel…>"],
  options: {
    from: { value: "END", help: "earliest (default) or latest" },
    alignment: {
      value: "A",
      help: "watermark (default): a pack at each advance of the least tick; lockstep: one where all channels show the same tick",
    },
    "idle-ms": { value: "N", help: "leave out a channel that is silent for so many milliseconds, until it speaks; default: wait for all" },
    max: { value: "N", help: "stop after N packs" },
    ...dirOption,
    ...jsonOption,
  },
  about: "follow channels as one stream, in packs cut at their time ticks",
  notes: [
    "On a terminal a table is kept up to date: how far the stream is complete, and for each channel what has come and how many records it is behind.",
    "In a pipe, or with --json, each pack is one line: its bounds, its messages, and the positions at which to go on.",
    "",
    "It only reads, beside a program that has the queue open too; it looks ten times a second, and nobody's place moves. That nobody reads stdout any more (| head) it sees when it writes the next pack.",
  ],
  run: async (args, context) => {
    const { tail } = await import("./tail.js");
    await tail(args, context);
  },
};
