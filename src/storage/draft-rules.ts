/**
 * What every engine's draft refuses before it drafts anything, by the same rules and in the same words.
 */
import { TidemarkError } from "../base/errors.js";
import type { CopiedIds, DraftChannel, NewMessage } from "./engine.js";

/** @throws `invalid-argument` for a change of channels that asked for the ack "written" */
export function checkAck(ack: "durable" | "written"): void {
  if (ack === "durable") return;
  const text = 'only metadata may be written with ack "written"; channels need "durable"';
  throw new TidemarkError("invalid-argument", text, { argument: "ack" });
}

/** The greatest id that a place on the disk, and every back-end, can hold: a signed 64-bit number. */
export const greatestId = 2n ** 63n - 1n;

/** @throws `invalid-argument` for an append of nothing */
export function checkNotEmpty(name: string, messages: readonly NewMessage[]): void {
  if (messages.length > 0) return;
  throw new TidemarkError("invalid-argument", `channel ${JSON.stringify(name)}: an append needs at least one message`, {
    argument: "messages",
  });
}

/**
 * Where the ids of an append begin.
 *
 * @param given what the caller brought
 * @throws `invalid-argument` for ids from outside where the engine gives them out, none where it does not, and ids that go back
 */
export function firstIdFor(
  ids: "internal" | "external",
  channel: Pick<DraftChannel, "name" | "lastId">,
  given: bigint | undefined,
): bigint {
  const { name, lastId } = channel;
  if (ids === "internal") {
    if (given !== undefined) throw badFirstId(name, `the store gives out the ids, so it takes none (got ${given})`);
    return lastId + 1n;
  }
  if (given === undefined) throw badFirstId(name, "ids come from outside here, so an append must bring its first one");
  checkRising(channel, given);
  return given;
}

/** @throws `invalid-argument` for ids that go back */
export function checkRising({ name, lastId }: Pick<DraftChannel, "name" | "lastId">, firstId: bigint): void {
  if (firstId <= lastId) throw badFirstId(name, `ids must go on above ${lastId}, got ${firstId}`);
}

/** @throws `invalid-argument` for copied ids at or below the `floor`, which may have been given out here before, and for none at all */
export function checkCopied(name: string, { firstId, lastId }: CopiedIds, floor: bigint): void {
  if (firstId > floor && lastId >= firstId) return;
  const text =
    firstId > lastId
      ? `there is no id from ${firstId} to ${lastId}`
      : `ids from ${firstId} on may have been given out in a channel that was destroyed here (up to ${floor}): copy into a new store`;
  throw badFirstId(name, text);
}

/** @throws `invalid-argument` for ids up to one that nothing could hold */
export function checkHeld(name: string, lastId: bigint): void {
  if (lastId > greatestId) throw badFirstId(name, `ids end at ${greatestId}, and these go up to ${lastId}`);
}

/** @throws `invalid-argument` for a trim that goes back, nowhere, or beyond the end */
export function checkTrim({ name, beginId, endId }: Pick<DraftChannel, "name" | "beginId" | "endId">, beforeId: bigint): void {
  if (beforeId > beginId && beforeId <= endId) return;
  const text = `channel ${JSON.stringify(name)}: a trim must be within (${beginId}, ${endId}], got ${beforeId}`;
  throw new TidemarkError("invalid-argument", text, { argument: "beforeId" });
}

/**
 * Where a channel that began at `begin` begins once no message at or below `last` is left; where it began if that is none of its own, or
 * trimmed already.
 */
export function beginBehind(last: bigint | undefined, begin: bigint): bigint {
  return last === undefined || last < begin ? begin : last + 1n;
}

function badFirstId(name: string, text: string): TidemarkError {
  return new TidemarkError("invalid-argument", `channel ${JSON.stringify(name)}: ${text}`, { argument: "firstId" });
}
