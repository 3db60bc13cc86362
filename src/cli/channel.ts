/** `tidemark channel create | alter | destroy | describe | ls`. */
import { type ChannelDescription, isTidemarkError, type RocksMq } from "../rocksmq/index.js";
import type { Command } from "./command.js";
import { bytes, count, counted, time } from "./figures.js";
import { json } from "./json.js";
import { createdLine, isNew } from "./creation.js";
import { dirOption, ifNotExistsOption, jsonOption } from "./option.js";
import { withQueue } from "./queue-directory.js";
import { retentionAfter, retentionCell, retentionFacts, retentionIn, retentionOptions } from "./retention.js";
import { tableLines } from "./table.js";

const create: Command = {
  words: "channel create",
  operands: ["<name>"],
  options: { ...ifNotExistsOption, ...retentionOptions, ...dirOption, ...jsonOption },
  about: "make a channel, and a queue if there is none",
  notes: [
    'A name is 1 to 255 bytes of UTF-8 without "/". One that exists is an error',
    "without --if-not-exists. What should go by its retention goes while a program has",
    "the queue open; what a group has not read yet stays, up to 1 GiB of it.",
  ],
  run: (args, { stdout }) =>
    withQueue(args, { to: "create" }, async (mq) => {
      const name = args.operand("name");
      const retention = retentionIn(args);
      const created = await isNew(mq.createChannel(name, { retention }), args);
      await stdout.lines([args.flag("json") ? json({ channel: name, created }) : createdLine(name, created)]);
    }),
};

const alter: Command = {
  words: "channel alter",
  operands: ["<name>"],
  options: { ...retentionOptions, ...dirOption, ...jsonOption },
  about: "change what a channel keeps",
  notes: ["A bound that is not named stays as it was. What is beyond the new ones goes", "while a program has the queue open."],
  run: (args, { stdout }) =>
    withQueue(args, { to: "write" }, async (mq) => {
      const name = args.operand("name");
      const retention = retentionAfter((await mq.describeChannel(name)).retention, args);
      await mq.alterChannel(name, { retention });
      await stdout.lines([args.flag("json") ? json({ channel: name, retention }) : `${name} keeps ${retentionCell(retention)}`]);
    }),
};

const destroy: Command = {
  words: "channel destroy",
  operands: ["<name>"],
  options: { ...dirOption, ...jsonOption },
  about: "remove a channel, its messages and cursors",
  notes: ["It does not ask. A later channel of that name is empty, and its ids are higher."],
  run: (args, { stdout }) =>
    withQueue(args, { to: "write" }, async (mq) => {
      const name = args.operand("name");
      const messages = (await mq.channels()).includes(name) ? (await mq.describeChannel(name)).messages : 0n;
      await mq.destroyChannel(name);
      await stdout.lines([
        args.flag("json") ? json({ channel: name, destroyed: true, messages }) : `destroyed ${name} with ${counted(messages, "message")}`,
      ]);
    }),
};

const describe: Command = {
  words: "channel describe",
  operands: ["<name>"],
  options: { ...dirOption, ...jsonOption },
  about: "show ids, size and groups of a channel",
  run: (args, { stdout }) =>
    withQueue(args, { to: "read" }, async (mq) => {
      const channel = await mq.describeChannel(args.operand("name"));
      await stdout.lines(args.flag("json") ? [asJson(channel)] : descriptionLines(channel, stdout.tableColumns));
    }),
};

const ls: Command = {
  words: "channel ls",
  operands: [],
  options: { ...dirOption, ...jsonOption },
  about: "list the channels",
  run: (args, { stdout }) =>
    withQueue(args, { to: "read" }, async (mq) => {
      const channels = await describeAll(mq);
      if (args.flag("json")) return stdout.lines([`[${channels.map(asJson).join(",")}]`]);
      await stdout.lines(listLines(channels, stdout.tableColumns));
    }),
};

/** All commands on channels. */
export const channelCommands: readonly Command[] = [create, alter, destroy, describe, ls];

/** All channels by name, but for those that a running program takes away meanwhile. */
export async function describeAll(mq: RocksMq): Promise<ChannelDescription[]> {
  const channels: ChannelDescription[] = [];
  for (const name of await mq.channels()) {
    try {
      channels.push(await mq.describeChannel(name));
    } catch (error) {
      if (!isTidemarkError(error, "channel-not-found")) throw error;
    }
  }
  return channels;
}

function listLines(channels: readonly ChannelDescription[], columns: number | undefined): string[] {
  const head = [
    { title: "CHANNEL" },
    { title: "MESSAGES", figures: true },
    { title: "SIZE", figures: true },
    { title: "KEEPS" },
    { title: "GROUPS", figures: true },
    { title: "LARGEST LAG", figures: true },
    { title: "CREATED" },
  ];
  const rows = channels.map((channel) => [
    channel.name,
    count(channel.messages),
    bytes(channel.bytes),
    retentionCell(channel.retention),
    count(channel.groups.length),
    channel.groups.length === 0 ? "" : count(largest(channel.groups.map(({ lag }) => lag))),
    time(channel.createdAtMs),
  ]);
  return tableLines(head, rows, columns);
}

function descriptionLines(channel: ChannelDescription, columns: number | undefined): string[] {
  const facts = [
    ["channel", channel.name],
    ["created", time(channel.createdAtMs)],
    ["messages", count(channel.messages)],
    ["size", bytes(channel.bytes)],
    ...retentionFacts(channel.retention),
    ["begins at id", String(channel.beginId)],
    ["next id", String(channel.endId)],
  ];
  const groups = channel.groups.map(({ group, currentId, lag }) => [group, String(currentId), count(lag)]);
  const table = tableLines([{ title: "GROUP" }, { title: "READS NEXT", figures: true }, { title: "LAG", figures: true }], groups, columns);
  // The facts are a table whose head would say nothing.
  return [...tableLines([{ title: "" }, { title: "" }], facts).slice(1), ...(groups.length === 0 ? [] : ["", ...table])];
}

/** One line; ids and counts are decimal strings. */
function asJson({ createdAtMs, ...channel }: ChannelDescription): string {
  return json({ ...channel, created: time(createdAtMs) });
}

function largest(values: readonly bigint[]): bigint {
  return values.reduce((most, value) => (value > most ? value : most), 0n);
}
