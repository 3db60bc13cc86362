/**
 * Positions that a caller gives, looked at before anything happens.
 */
import { invalid } from "../base/arguments.js";
import { TidemarkError } from "../base/errors.js";
import type { BackendName, MessageId, MsgPosition } from "../message/index.js";

/**
 * One position or several, of channels of this stream, at most one a channel.
 *
 * @throws `invalid-argument` naming what is wrong; `backend-mismatch` for an id of another back-end
 */
export function checkPositions(
  given: MsgPosition | readonly MsgPosition[],
  channels: ReadonlySet<string>,
  backend: BackendName,
): readonly MsgPosition[] {
  const positions = isList(given) ? given : [given];
  if (positions.length === 0) throw invalid("position", "at least one position", positions);
  const seen = new Set<string>();
  for (const [at, position] of positions.entries()) {
    const name = isList(given) ? `position[${at}]` : "position";
    checkPosition(name, position, backend);
    const { channelName } = position;
    if (!channels.has(channelName)) throw invalid(`${name}.channelName`, "a channel that this stream consumes", channelName);
    if (seen.has(channelName)) throw invalid(name, "the only position of its channel", channelName);
    seen.add(channelName);
  }
  return positions;
}

function isList(given: MsgPosition | readonly MsgPosition[]): given is readonly MsgPosition[] {
  return Array.isArray(given);
}

function checkPosition(name: string, position: MsgPosition, backend: BackendName): void {
  if (typeof position !== "object" || position === null) throw invalid(name, "a position", position);
  const { timestamp, msgId, readMsgId } = position;
  if (typeof timestamp !== "bigint" || timestamp < 0n || timestamp >= 1n << 64n)
    throw invalid(`${name}.timestamp`, "a time tick", timestamp);
  checkId(`${name}.msgId`, msgId, backend);
  checkId(`${name}.readMsgId`, readMsgId, backend);
}

function checkId(name: string, id: MessageId | undefined, backend: BackendName): void {
  if (id === undefined) return;
  if (typeof id !== "object" || id === null || typeof id.compare !== "function") throw invalid(name, "a message id, or left out", id);
  if (id.backend === backend) return;
  const text = `${name} is an id of ${id.backend}, and the channels are in ${backend}`;
  throw new TidemarkError("backend-mismatch", text, { backends: [id.backend, backend] });
}
