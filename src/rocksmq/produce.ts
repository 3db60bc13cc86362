/**
 * Storing a batch.
 *
 *     check all ─▶ room for its bytes ─▶ (ids from outside) ─▶ its turn: channel there? ids in order? append ─▶ durable ─▶ room given back
 *
 * Everything that can be refused is refused before the append is drafted.
 */
import { isTidemarkError } from "../base/errors.js";
import type { Draft } from "../storage/index.js";
import { checkSignal, invalid, shown } from "./arguments.js";
import type { Core } from "./core.js";
import { checkMessages, checkStillWhole, type CheckedBatch } from "./message-check.js";
import type { ProduceResult } from "./messages.js";
import { checkChannelName } from "./names.js";
import { channelNotFound } from "./refusals.js";

/** The greatest id that all back-ends can hold: a signed 64-bit number. */
const greatestId = 2n ** 63n - 1n;

const nothingStored: ProduceResult = { firstId: -1n, lastId: -1n, count: 0 };

/** See `RocksMq.produce`. Throws what is refused at the call. */
export function produce(core: Core, channel: string, messages: unknown, signal: AbortSignal | undefined): Promise<ProduceResult> {
  // A channel that is there has a good name.
  if (core.engine.channel(channel) === undefined) checkChannelName("channel", channel);
  checkSignal(signal);
  const batch = checkMessages(messages, core.maxMessageBytes);
  core.refuseChanges();
  signal?.throwIfAborted();
  const count = batch.messages.length;
  takeRoom(core, batch.bytes);
  core.enter();
  return store(core, channel, batch, signal).then(
    (result) => {
      core.pending.leave(batch.bytes);
      core.leave();
      core.metrics.produced(count, batch.bytes);
      return result;
    },
    (error: unknown) => {
      core.pending.leave(batch.bytes);
      core.leave();
      throw error;
    },
  );
}

function takeRoom(core: Core, bytes: number): void {
  try {
    core.pending.enter(bytes);
  } catch (error) {
    if (isTidemarkError(error, "overloaded")) core.metrics.overloaded();
    throw error;
  }
}

function store(core: Core, channel: string, batch: CheckedBatch, signal: AbortSignal | undefined): Promise<ProduceResult> {
  const { messages } = batch;
  const count = messages.length;
  if (count === 0) return core.order.write((draft) => requireChannel(draft, channel, nothingStored), { signal });
  if (core.ids !== undefined) return storeWithIds(core, core.ids, channel, batch, signal);
  const append = (draft: Draft): ProduceResult => {
    checkStillWhole(batch);
    return appended(requireChannel(draft, channel, draft).append(channel, messages), count);
  };
  return core.order.write(append, signal === undefined ? undefined : { signal });
}

/** Field by field: a spread took a quarter of a produce's time. */
function appended({ firstId, lastId }: { readonly firstId: bigint; readonly lastId: bigint }, count: number): ProduceResult {
  return { firstId, lastId, count };
}

/** The ids are asked for in call order, and used in call order. */
function storeWithIds(
  core: Core,
  ids: NonNullable<Core["ids"]>,
  channel: string,
  batch: CheckedBatch,
  signal: AbortSignal | undefined,
): Promise<ProduceResult> {
  const { messages } = batch;
  const count = messages.length;
  // An allocator that never answers must not keep the queue from closing.
  const after = core.orClosed(rangeOf(ids, count));
  const append = (draft: Draft, firstId?: bigint): ProduceResult => {
    checkStillWhole(batch);
    const found = draft.channel(channel);
    if (found === undefined) throw channelNotFound(channel);
    if (firstId === undefined || firstId <= found.lastId)
      throw invalid("ids", `a range above ${found.lastId}, the last id of the channel`, firstId);
    return appended(draft.append(channel, messages, firstId), count);
  };
  return core.order.write(append, { after, signal });
}

/** Asks for `count` ids. @throws `invalid-argument` unless that is what comes */
async function rangeOf(ids: NonNullable<Core["ids"]>, count: number): Promise<bigint> {
  const range: unknown = await ids.alloc(count);
  const [begin, end] = Array.isArray(range) ? (range as readonly unknown[]) : [];
  if (typeof begin !== "bigint" || typeof end !== "bigint" || begin < 0n || end - begin !== BigInt(count) || end - 1n > greatestId) {
    throw invalid("ids", `an allocator whose alloc(${count}) gives ${count} ids as [begin, end)`, `[${shown(begin)}, ${shown(end)})`);
  }
  return begin;
}

function requireChannel<T>(draft: Draft, channel: string, result: T): T {
  if (draft.channel(channel) === undefined) throw channelNotFound(channel);
  return result;
}
