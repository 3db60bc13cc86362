/** `tidemark import`: channels out of the directory of a stopped Milvus. */
import { type Logger, silentLogger } from "../base/logger.js";
import { importMilvusRocksMq } from "../rocksmq/index.js";
import type { Command, Context } from "./command.js";
import { counted } from "./figures.js";
import { json } from "./json.js";
import { dirOption, jsonOption } from "./option.js";
import { Progress } from "./progress.js";
import { withQueue } from "./queue-directory.js";

/** `tidemark import`. */
export const importCommand: Command = {
  words: "import",
  operands: ["<rocksmq-dir>"],
  options: { topic: { value: "T", help: "only this topic; may be given again; default all", many: true }, ...dirOption, ...jsonOption },
  about: "copy the topics of a stopped Milvus",
  notes: [
    "<rocksmq-dir> is what Milvus calls rocksmq.path, beside the folder of the same",
    "name with _meta_kv behind it. Each topic becomes a channel, with its ids and",
    "payloads as they are. The folder is only read: the work is done on a copy beside",
    "the queue, with hard links for table files. It needs the package",
    "@nxtedition/rocksdb. What is known to be missing is said on standard error.",
  ],
  run: async (args, context) => {
    const from = args.operand("rocksmq-dir");
    const topics = args.texts("topic");
    const logger = warningsTo(context);
    const progress = new Progress(context.stderr, context.clock);
    const imported = await withQueue(args, { to: "create", whole: true, logger }, async (into) => {
      try {
        return await importMilvusRocksMq({
          from,
          into,
          topics: topics.length === 0 ? undefined : topics,
          onProgress: ({ topic, messages }) => {
            context.signal.throwIfAborted();
            // A terminal that is gone is no reason to stop.
            progress.show(() => `${topic}: ${counted(messages, "message")}`).catch(() => undefined);
          },
        });
      } finally {
        await progress.clear();
      }
    });
    const line = `imported ${counted(imported.messages, "message")} of ${counted(imported.topics, "topic")}`;
    await context.stdout.lines([args.flag("json") ? json(imported) : line]);
  },
};

function warningsTo({ stderr }: Context): Logger {
  return {
    ...silentLogger,
    warn: (_, text) => void stderr.lines([`warning: ${text}`]).catch(() => undefined),
  };
}
