/** `tidemark group create | destroy | ls | seek`. */
import type { RocksMq } from "../rocksmq/index.js";
import { describeAll } from "./channel.js";
import type { Command } from "./command.js";
import { count } from "./figures.js";
import { json } from "./json.js";
import { createdLine, isNew } from "./creation.js";
import { dirOption, ifNotExistsOption, jsonOption } from "./option.js";
import { isTrimmed } from "./lost-place.js";
import { parsePlace, placeHelp, resolvePlace } from "./place.js";
import { withQueue } from "./queue-directory.js";
import { tableLines } from "./table.js";

const create: Command = {
  words: "group create",
  operands: ["<name>"],
  options: {
    from: { value: "earliest|latest", help: "where it starts on each channel; default earliest" },
    ...ifNotExistsOption,
    ...dirOption,
    ...jsonOption,
  },
  about: "make a group, and a queue if there is none",
  notes: [
    "earliest  the first message that a channel still has when the group first reads",
    "          there",
    "latest    what is produced after this command; on channels made later,",
    "          everything",
  ],
  run: async (args, { stdout }) => {
    const from = args.choice("from", ["earliest", "latest"]);
    await withQueue(args, { to: "create" }, async (mq) => {
      const name = args.operand("name");
      const created = await isNew(mq.createConsumerGroup(name, { from }), args);
      await stdout.lines([args.flag("json") ? json({ group: name, created }) : createdLine(name, created)]);
    });
  },
};

const destroy: Command = {
  words: "group destroy",
  operands: ["<name>"],
  options: { ...dirOption, ...jsonOption },
  about: "remove a group and its cursors",
  run: (args, { stdout }) =>
    withQueue(args, { to: "write" }, async (mq) => {
      const name = args.operand("name");
      await mq.destroyConsumerGroup(name);
      await stdout.lines([args.flag("json") ? json({ group: name, destroyed: true }) : `destroyed ${name}`]);
    }),
};

const ls: Command = {
  words: "group ls",
  operands: [],
  options: { ...dirOption, ...jsonOption },
  about: "list the groups and their cursors",
  notes: [
    "A group has a cursor on each channel that it has read, or been placed on by",
    "seek.",
    'LAG counts the messages from there on. "trimmed": unread ones are gone, and the next read says so;',
    "seek to go on.",
  ],
  run: (args, { stdout }) =>
    withQueue(args, { to: "read" }, async (mq) => {
      const groups = await listGroups(mq);
      if (args.flag("json")) return stdout.lines([json(groups)]);
      const rows = groups.flatMap(({ group, cursors }) =>
        cursors.length === 0
          ? [[group, "", "", ""]]
          : cursors.map(({ channel, currentId, lag, trimmed }) => [group, channel, String(currentId), lagCell(lag, trimmed)]),
      );
      const head = [{ title: "GROUP" }, { title: "CHANNEL" }, { title: "READS NEXT", figures: true }, { title: "LAG", figures: true }];
      await stdout.lines(tableLines(head, rows, stdout.tableColumns));
    }),
};

const seek: Command = {
  words: "group seek",
  operands: ["<group>", "<channel>", "<place>"],
  options: { ...dirOption, ...jsonOption },
  about: "place the cursor of a group on a channel",
  notes: ["The message at the place is delivered next.", ...placeHelp],
  run: async (args, { stdout, clock }) => {
    const place = parsePlace(args.operand("place"), "<place>", clock.nowMs());
    await withQueue(args, { to: "write" }, async (mq) => {
      const group = args.operand("group");
      const channel = args.operand("channel");
      const id = await resolvePlace(mq, channel, place);
      await mq.seek(group, channel, id);
      await stdout.lines([args.flag("json") ? json({ group, channel, currentId: id }) : `${group} reads ${channel} from id ${id} next`]);
    });
  },
};

/** All commands on groups. */
export const groupCommands: readonly Command[] = [create, destroy, ls, seek];

interface Cursor {
  readonly channel: string;
  readonly currentId: bigint;
  readonly lag: bigint;
  /** What it should read next is gone: the next read says so. Only there when it is so. */
  readonly trimmed?: true;
}

interface ListedGroup {
  readonly group: string;
  readonly cursors: Cursor[];
}

/** With unread messages trimmed away, what is left is not all that it lags behind. */
function lagCell(lag: bigint, trimmed: true | undefined): string {
  return trimmed === undefined ? count(lag) : `trimmed, ${count(lag)} left`;
}

/** All groups by name, also those that have no cursor yet. */
async function listGroups(mq: RocksMq): Promise<ListedGroup[]> {
  const groups = new Map((await mq.consumerGroups()).map((group): [string, ListedGroup] => [group, { group, cursors: [] }]));
  for (const { name: channel, beginId, groups: onIt } of await describeAll(mq)) {
    for (const { group, currentId, lag } of onIt) {
      const trimmed = currentId < beginId && (await isTrimmed(mq, channel, currentId));
      groups.get(group)?.cursors.push({ channel, currentId, lag, ...(trimmed && { trimmed }) });
    }
  }
  return [...groups.values()];
}
