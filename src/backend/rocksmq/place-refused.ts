import { isTidemarkError } from "../../base/errors.js";
import { int64MessageId } from "../../message/index.js";
import type { StreamQueue } from "../../rocksmq/index.js";
import { positionAhead, positionTrimmed } from "../refusals.js";

/** The queue's refusal of a place, in the texts of ids in the place of plain numbers; any other error as it is. */
export async function placeRefused(mq: StreamQueue, channel: string, error: unknown): Promise<unknown> {
  if (isTidemarkError(error, "position-trimmed")) {
    // Where the queue begins there may be no record.
    const first = await mq.idAt(channel, Number.NEGATIVE_INFINITY).catch(() => undefined);
    return positionTrimmed(channel, idText(first ?? BigInt(error.details.firstAvailable)), error);
  }
  if (isTidemarkError(error, "position-ahead")) return positionAhead(channel, idText(BigInt(error.details.end)), error);
  return error;
}

function idText(id: bigint): string {
  return int64MessageId("rocksmq", id).toString();
}
