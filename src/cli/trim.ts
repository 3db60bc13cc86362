/** `tidemark trim`: removes the oldest messages of a channel. */
import type { Command } from "./command.js";
import { UsageError } from "./failure.js";
import { bytes, counted } from "./figures.js";
import { json } from "./json.js";
import { dirOption, jsonOption } from "./option.js";
import { parseCut, placeHelp, resolvePlace } from "./place.js";
import { withQueue } from "./queue-directory.js";

/** `tidemark trim`. */
export const trimCommand: Command = {
  words: "trim",
  operands: ["<channel>"],
  options: { before: { value: "<id|time>", help: "the first message to keep", required: true }, ...dirOption, ...jsonOption },
  about: "remove the oldest messages of a channel",
  notes: [...placeHelp, "Disk space comes back in whole segment files, once no channel needs anything in", "them."],
  run: async (args, { stdout, clock }) => {
    const before = args.text("before");
    if (before === undefined) throw new UsageError("--before is missing: an id or a time, the first message to keep");
    const place = parseCut(before, "--before", clock.nowMs());
    await withQueue(args, { to: "write" }, async (mq) => {
      const channel = args.operand("channel");
      const id = await resolvePlace(mq, channel, place);
      const was = await mq.describeChannel(channel);
      await mq.trim(channel, id);
      const now = await mq.describeChannel(channel);
      const removed = { messages: was.messages - now.messages, bytes: was.bytes - now.bytes };
      if (args.flag("json")) {
        await stdout.lines([json({ channel, beginId: now.beginId, removed, left: { messages: now.messages, bytes: now.bytes } })]);
        return;
      }
      const gone = `${counted(removed.messages, "message")}, ${bytes(removed.bytes)}`;
      await stdout.lines([`trimmed ${channel} before id ${now.beginId}: removed ${gone}; ${counted(now.messages, "message")} left`]);
    });
  },
};
