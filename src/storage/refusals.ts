/**
 * The errors that every engine gives in the same words.
 */
import { TidemarkError } from "../base/errors.js";

/** A call on an engine that was closed. */
export function engineClosed(): TidemarkError {
  return new TidemarkError("closed", "the store is closed: open it again to go on", {});
}

/** A write after something went wrong for good. It has not begun, so nothing of it can be there. */
export function engineStopped(failure: Error): TidemarkError {
  const options = { cause: failure, effect: "none" } as const;
  return new TidemarkError("io-failed", `the store has stopped (${failure.message}): close it and open it again`, {}, options);
}

/** A call on a channel that is not there, or no longer. */
export function channelNotFound(name: string): TidemarkError {
  return new TidemarkError("channel-not-found", `there is no channel ${JSON.stringify(name)}: create it first`, { channels: [name] });
}

/** A channel made where one is. */
export function channelExists(name: string): TidemarkError {
  return new TidemarkError("channel-exists", `there is a channel ${JSON.stringify(name)} already: destroy it first, or use it`, {
    channel: name,
  });
}

/** A read that begins below what is retained. */
export function positionTrimmed(name: string, fromId: bigint, beginId: bigint): TidemarkError {
  const text = `channel ${JSON.stringify(name)} begins at ${beginId}, so nothing is kept at ${fromId}: go on at ${beginId} or later`;
  return new TidemarkError("position-trimmed", text, { firstAvailable: String(beginId) });
}

/** An append to a channel that the same change makes: its ids could not be kept from coming again after a crash. */
export function madeInThisChange(name: string): TidemarkError {
  const text = `channel ${JSON.stringify(name)}: a change can't append to a channel that it makes itself: append in a change after it`;
  return new TidemarkError("invalid-argument", text, { argument: "name" });
}
