/**
 * Making, removing and listing consumer groups.
 */
import { TidemarkError } from "../base/errors.js";
import { compareUtf8 } from "../base/utf8-order.js";
import { checkFlag, checkOptions, checkWord } from "./arguments.js";
import type { Core } from "./core.js";
import { passageThrough } from "./cursor-lines.js";
import type { CreateGroupOptions } from "./door.js";
import { encodeGroupRecord, newGroupRecord } from "./group-record.js";
import { cursorsOf, groupKey, groupsIn, positionKey } from "./keys.js";
import { checkGroupName } from "./names.js";
import { groupNotFound } from "./refusals.js";

/** See `RocksMq.createConsumerGroup`. */
export async function createConsumerGroup(core: Core, group: string, options: CreateGroupOptions): Promise<void> {
  checkGroupName("group", group);
  checkOptions(options, { from: true, ifNotExists: true });
  const { from = "earliest", ifNotExists } = options;
  checkWord("from", from, ["earliest", "latest"]);
  checkFlag("ifNotExists", ifNotExists);
  core.refuseChanges();
  await core.order.control((draft) => {
    if (draft.get(groupKey(group)) !== undefined) {
      if (ifNotExists === true) return;
      throw groupExists(group);
    }
    draft.put(groupKey(group), encodeGroupRecord(newGroupRecord(from, draft.channels())));
  });
}

/** See `RocksMq.destroyConsumerGroup`. All its cursors go in the same change. */
export async function destroyConsumerGroup(core: Core, group: string): Promise<void> {
  checkGroupName("group", group);
  core.refuseChanges();
  const after = passageThrough(core.lines.ofGroup(group));
  const channels = await core.order.control(
    (draft) => {
      if (draft.get(groupKey(group)) === undefined) throw groupNotFound(group, "check the name");
      const cursors = cursorsOf(draft, group);
      for (const { channel, entry } of cursors) {
        draft.delete(entry.key);
        draft.delete(positionKey(group, channel));
      }
      draft.delete(groupKey(group));
      return cursors.map(({ channel }) => channel);
    },
    { after },
  );
  for (const channel of channels) core.keeper.cursorMoved(channel);
  for (const line of core.lines.ofGroup(group)) line.wake();
  // A seek waits at a channel, in no line.
  core.waiters.ringAll();
}

/** See `RocksMq.consumerGroups`. */
export async function consumerGroups(core: Core): Promise<string[]> {
  const names = await core.order.observe(({ meta }) => groupsIn(meta));
  return names.sort(compareUtf8);
}

function groupExists(group: string): TidemarkError<"group-exists"> {
  const text = `there is a consumer group ${JSON.stringify(group)} already: destroy it first, or create it with ifNotExists`;
  return new TidemarkError("group-exists", text, { group });
}
