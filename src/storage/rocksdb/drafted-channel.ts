/**
 * A channel as the draft of a turn has it, and where it begins once it is trimmed: behind the last message that goes.
 *
 * Mostly its pages know that. Where one with gaps in its ids is cut its rows do, which must wait for the end of the turn.
 */
import { beginBehind } from "../draft-rules.js";
import { cutBy, cutOff, lastBelow } from "../stretches.js";
import type { DraftedIds } from "../turn-draft.js";
import type { LaidBatch, MessagesOperation, Operation } from "./group-layout.js";
import { pageKey } from "./keys.js";
import { bytesFrom, type Page } from "./pages.js";
import type { RocksDbChannel } from "./rocksdb-channel.js";
import { channelRows, pageRow } from "./rocksdb-state.js";

/** See above. */
export interface DraftedChannel extends DraftedIds {
  readonly pages: Page[];
  /** Undefined until it is stored: made in this turn. */
  readonly stored: RocksDbChannel | undefined;
  /** Pages closed in this turn, and closed ones that a trim took. */
  readonly closed: Page[];
  readonly gone: Page[];
  trimmedBytes: number;
  /** What was appended in this turn; a gap in the ids begins another run. */
  readonly runs: DraftedRun[];
}

/** Messages with consecutive ids. */
export interface DraftedRun extends MessagesOperation {
  readonly batches: LaidBatch[];
}

/** The last message of a page below an id that cuts it, be it trimmed; undefined when its row is not there. */
export type LastInPage = (channel: RocksDbChannel, page: Page, id: bigint) => Promise<bigint | undefined>;

/** Where a channel begins once it is trimmed before `id`; undefined where only a look at its rows tells. */
export function beginOnceTrimmed(channel: DraftedChannel, id: bigint): bigint | undefined {
  const { beginId, stored } = channel;
  const drafted = lastDrafted(channel, id);
  if (drafted !== undefined || stored === undefined) return beginBehind(drafted, beginId);
  const { pages } = stored.facts;
  return cutBy(pages, id) === undefined ? beginBehind(lastBelow(pages, id), beginId) : undefined;
}

/** Has a channel begin where its rows tell that it does, if it begins at the id before which it was trimmed until that is known. */
export async function settleBegin(channel: DraftedChannel, lastInPage: LastInPage): Promise<void> {
  const { beginId: asked, pages, stored } = channel;
  if (stored === undefined || asked === stored.beginId) return;
  const cut = cutBy(stored.facts.pages, asked);
  if (cut === undefined) return;
  channel.beginId = beginBehind(await lastInPage(stored, cut, asked), stored.beginId);
  // A page that is cut is reckoned by the share of its ids: it keeps those of the gap.
  channel.trimmedBytes = Math.max(0, channel.trimmedBytes + bytesFrom(pages, asked) - bytesFrom(pages, channel.beginId));
}

/** The rows that make it so. */
export function stateRowsOf({ name, firstId, beginId, endId, lastId, ceiling, pages, stored, closed, gone }: DraftedChannel): Operation[] {
  return [
    ...channelRows(name, firstId, { beginId, endId, lastId, ceiling, pages }, stored?.sweptId ?? firstId, stored?.beginId),
    ...closed.map((page) => pageRow(name, page)),
    ...gone.map((page) => ({ do: "delete", key: pageKey(name, page.lastId) }) as const),
  ];
}

function lastDrafted({ runs }: DraftedChannel, id: bigint): bigint | undefined {
  const run = runs.findLast(({ firstId }) => firstId < id);
  if (run === undefined) return undefined;
  const endId = run.batches.reduce((next, { messages }) => next + BigInt(messages.length), run.firstId);
  return cutOff(endId - 1n, id);
}
