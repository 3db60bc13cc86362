/**
 * Messages as text, one JSON object a line, the way `consume --format ndjson` writes them and `produce --format ndjson` reads them.
 *
 *     {"id":"263405372866560001","time":"2026-01-31T08:00:00.000Z","payload":"…","properties":{"k":"v"}}
 *
 * A payload that is no UTF-8 stands as `payloadBase64` instead, so that what comes out goes in again byte for byte.
 * `id` and `time` are the queue's to give: they may stand in what is read, and are given anew.
 */
import { isWellFormed } from "../base/well-formed.js";
import type { ConsumerMessage, ProducerMessage } from "../rocksmq/index.js";
import { fit, padded, printable } from "./cell.js";
import { Failure } from "./failure.js";
import { time } from "./figures.js";
import { json } from "./json.js";

const keys = ["id", "time", "payload", "payloadBase64", "properties"];
/** The digits of the largest id. */
const idColumns = 19;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Without the line feed. */
export function encodeMessage({ id, timeMs, payload, properties }: ConsumerMessage): string {
  const text = textOf(payload);
  return json({
    id,
    time: time(timeMs),
    ...(text === undefined ? { payloadBase64: Buffer.from(payload).toString("base64") } : { payload: text }),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
  });
}

/** @throws `Failure` that says what is wrong with `where`, a line */
export function decodeMessage(line: Uint8Array, where: string): ProducerMessage {
  const fields = objectOf(line, where);
  const unknown = Object.keys(fields).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw new Failure(`${where} has the key "${unknown}"; known are ${keys.join(", ")}`);
  return { payload: payloadOf(fields, where), properties: propertiesOf(fields["properties"], where) };
}

/** One line of a table: id, time, and as much of the rest as fits. */
export function messageRow({ id, timeMs, payload, properties }: ConsumerMessage, columns: number): string {
  const pairs = Object.entries(properties).map(([key, value]) => `${key}=${value}`);
  const content = textOf(payload) ?? `${payload.length} bytes: ${Buffer.from(payload.subarray(0, 64)).toString("hex")}`;
  const rest = printable([...(pairs.length === 0 ? [] : [`[${pairs.join(" ")}]`]), content.slice(0, 400)].join(" "));
  return fit(`${padded(String(id), idColumns, "left")}  ${time(timeMs)}  ${rest}`, columns);
}

/** The table's first line. */
export const messageHead = `${padded("ID", idColumns, "left")}  ${padded("TIME", 24, "right")}  PAYLOAD`;

function textOf(payload: Uint8Array): string | undefined {
  try {
    return utf8.decode(payload);
  } catch {
    // The decoder's only way to say that it is not UTF-8.
    return undefined;
  }
}

function objectOf(line: Uint8Array, where: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(line));
  } catch (error) {
    throw new Failure(`${where} is not JSON; one object a line is expected, like {"payload":"…"}`, { cause: error });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Failure(`${where} is not an object like {"payload":"…"}; --format lines takes any text, also JSON, as payload`);
  }
  return value as Readonly<Record<string, unknown>>;
}

function payloadOf({ payload, payloadBase64 }: Readonly<Record<string, unknown>>, where: string): Uint8Array {
  if ((payload === undefined) === (payloadBase64 === undefined)) throw new Failure(`${where} needs one of payload and payloadBase64`);
  if (payload !== undefined) return Buffer.from(unicode(payload, `the payload of ${where}`));
  const bytes = typeof payloadBase64 === "string" ? Buffer.from(payloadBase64, "base64") : undefined;
  // The decoder skips what it does not know.
  if (bytes === undefined || bytes.toString("base64") !== payloadBase64) throw new Failure(`the payloadBase64 of ${where} is not base64`);
  return bytes;
}

function propertiesOf(value: unknown, where: string): Record<string, string> | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Failure(`the properties of ${where} are not an object`);
  const entries = Object.entries(value).map(([key, text]) => [key, unicode(text, `property "${key}" of ${where}`)] as const);
  return Object.fromEntries(entries);
}

/** A lone surrogate would be stored as something else than what was handed in. */
function unicode(value: unknown, what: string): string {
  if (typeof value !== "string") throw new Failure(`${what} is not a string`);
  if (!isWellFormed(value)) throw new Failure(`${what} holds half a surrogate pair, which is no text`);
  return value;
}
