/**
 * Packs as text, one JSON object a line.
 *
 *     {"beginTs":"…","endTs":"…","watermark":"2026-01-31T08:00:00.000Z","msgs":[…],"positions":[{"channel":"a","id":"…","timestamp":"…"}]}
 *
 * 64-bit numbers are strings. `positions` is where to go on: behind `id`, or, with a `readId`, from `id` on with what is behind the timestamp.
 */
import { int64Of, type MessageId, type MsgPack, type MsgPosition, physicalMs, type TsMsg } from "../../message/index.js";
import { time } from "../figures.js";
import { json } from "../json.js";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Without the line feed. */
export function encodePack({ beginTs, endTs, msgs, endPositions }: MsgPack): string {
  return json({
    beginTs,
    endTs,
    watermark: time(physicalMs(endTs)),
    msgs: msgs.map(messageFields),
    positions: endPositions.map(positionFields),
  });
}

function messageFields(msg: TsMsg): object {
  const { type, endTs, position, properties, late } = msg;
  return {
    channel: position?.channelName,
    id: number(position?.msgId),
    type,
    timestamp: endTs,
    time: time(physicalMs(endTs)),
    ...(late === true ? { late } : {}),
    ...contentFields(msg),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
  };
}

function contentFields(msg: TsMsg): object {
  if (msg.type !== "user") return { body: msg.body };
  const { payload } = msg.body;
  try {
    return { payload: utf8.decode(payload) };
  } catch {
    // The decoder's only way to say that it is not UTF-8.
    return { payloadBase64: Buffer.from(payload).toString("base64") };
  }
}

function positionFields({ channelName, msgId, readMsgId, timestamp }: MsgPosition): object {
  const isSplit = readMsgId !== undefined && msgId !== undefined && !readMsgId.equals(msgId);
  return { channel: channelName, id: number(msgId), ...(isSplit ? { readId: number(readMsgId) } : {}), timestamp };
}

/** As every other command shows an id. */
function number(id: MessageId | undefined): bigint | undefined {
  return id === undefined ? undefined : int64Of(id);
}
