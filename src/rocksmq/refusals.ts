/**
 * The errors that more than one part of the queue gives, each in the same words everywhere.
 */
import { TidemarkError } from "../base/errors.js";

/** A call on a queue, reader or subscription that was closed. */
export function closedError(what: string): TidemarkError<"closed"> {
  return new TidemarkError("closed", `the ${what} is closed: open it again to go on`, {});
}

/** A call that would write, on a queue that is open for reading only. */
export function readOnlyError(): TidemarkError<"read-only"> {
  return new TidemarkError(
    "read-only",
    "the queue is open with readOnly: open it without to write, consume, subscribe, seek or acknowledge",
    {},
  );
}

/** A wait that can't end well any more, since the store has stopped. Nothing of it was written. */
export function stoppedError(failure: Error): TidemarkError<"io-failed"> {
  const text = `the store has stopped (${failure.message}): close the queue and open it again`;
  return new TidemarkError("io-failed", text, {}, { cause: failure, effect: "none" });
}

/** No such channel, or no longer. */
export function channelNotFound(channel: string, advice = "create it first"): TidemarkError<"channel-not-found"> {
  const text = `there is no channel ${JSON.stringify(channel)}: ${advice}`;
  return new TidemarkError("channel-not-found", text, { channels: [channel] });
}

/** No such group, or no longer. */
export function groupNotFound(group: string, advice = "create it first"): TidemarkError<"group-not-found"> {
  return new TidemarkError("group-not-found", `there is no consumer group ${JSON.stringify(group)}: ${advice}`, { group });
}

/** What should come next is gone. */
export function positionTrimmed(channel: string, id: bigint, beginId: bigint): TidemarkError<"position-trimmed"> {
  const text = `channel ${JSON.stringify(channel)} begins at ${beginId}, so nothing is kept at ${id}: go on at ${beginId} or later`;
  return new TidemarkError("position-trimmed", text, { firstAvailable: String(beginId) });
}

/** A place that the channel has not reached. */
export function positionAhead(channel: string, id: bigint, endId: bigint): TidemarkError<"position-ahead"> {
  const text = `channel ${JSON.stringify(channel)} ends at ${endId}, so there is no ${id} yet: name an id up to ${endId}`;
  return new TidemarkError("position-ahead", text, { end: String(endId) });
}

/** Two that want to move one cursor. */
export function cursorTaken(group: string, channel: string, by: string): TidemarkError<"conflict"> {
  const text = `${by} on group ${JSON.stringify(group)} and channel ${JSON.stringify(channel)}: end it first, or use another group`;
  return new TidemarkError("conflict", text, { group, channel });
}

/** A channel made where one is. */
export function channelExists(name: string): TidemarkError<"channel-exists"> {
  const text = `there is a channel ${JSON.stringify(name)} already: destroy it first, or create it with ifNotExists`;
  return new TidemarkError("channel-exists", text, { channel: name });
}
