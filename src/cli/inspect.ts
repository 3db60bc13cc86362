/** `tidemark inspect`: looks into a queue's files without opening the queue. */
import type { Command } from "./command.js";
import { UsageError } from "./failure.js";
import { jsonOption } from "./option.js";

/** `tidemark inspect`. */
export const inspectCommand: Command = {
  words: "inspect",
  operands: ["<dir>"],
  options: {
    verify: { help: "read every byte and check it" },
    channel: { value: "C", help: "only this channel" },
    ...jsonOption,
  },
  about: "look into the files of a queue, offline",
  run: () => Promise.reject(new UsageError("comes later")),
};
