import { isTidemarkError } from "../../base/errors.js";
import { int64MessageId } from "../../message/index.js";
import { positionAhead, positionTrimmed } from "../refusals.js";

/** The queue's refusal of a place, in the texts of ids in the place of plain numbers; any other error as it is. */
export function placeRefused(channel: string, error: unknown): unknown {
  if (isTidemarkError(error, "position-trimmed")) return positionTrimmed(channel, idText(error.details.firstAvailable), error);
  if (isTidemarkError(error, "position-ahead")) return positionAhead(channel, idText(error.details.end), error);
  return error;
}

function idText(decimal: string): string {
  return int64MessageId("rocksmq", BigInt(decimal)).toString();
}
