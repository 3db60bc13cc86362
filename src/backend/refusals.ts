/**
 * The errors that all back-ends give, each in the same words everywhere.
 */
import { TidemarkError } from "../base/errors.js";
import type { BackendName, MessageId } from "../message/index.js";

/** A call on a writer, reader or back-end that was closed. */
export function closedError(what: string): TidemarkError<"closed"> {
  return new TidemarkError("closed", `the ${what} is closed: open it again to go on`, {});
}

/** No such channels, or no longer. */
export function channelNotFound(...channels: readonly string[]): TidemarkError<"channel-not-found"> {
  const text = `there is no channel ${channels.map((name) => JSON.stringify(name)).join(", ")}: create it first`;
  return new TidemarkError("channel-not-found", text, { channels });
}

/** There is one of that name already. */
export function channelExists(channel: string): TidemarkError<"channel-exists"> {
  const text = `there is a channel ${JSON.stringify(channel)} already: destroy it first, or create it with ifNotExists`;
  return new TidemarkError("channel-exists", text, { channel });
}

/** What should come next is gone; `firstAvailable` is the text of the id that is there. */
export function positionTrimmed(channel: string, firstAvailable: string, cause?: unknown): TidemarkError<"position-trimmed"> {
  const text = `what comes next in channel ${JSON.stringify(channel)} was trimmed: begin at ${firstAvailable} or later`;
  return new TidemarkError("position-trimmed", text, { firstAvailable }, { cause });
}

/** A place that the channel has not reached; `end` is the text of the id that it has. */
export function positionAhead(channel: string, end: string, cause?: unknown): TidemarkError<"position-ahead"> {
  const text = `channel ${JSON.stringify(channel)} has only come to ${end}: name an id up to that, or "latest"`;
  return new TidemarkError("position-ahead", text, { end }, { cause });
}

/** @throws `backend-mismatch` for an id of another back-end */
export function checkIdOf(backend: BackendName, id: MessageId): void {
  if (id.backend === backend) return;
  const text = `${id.toString()} is an id of ${id.backend}, and this channel's are of ${backend}`;
  throw new TidemarkError("backend-mismatch", text, { backends: [backend, id.backend] });
}
