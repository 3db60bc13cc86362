/**
 * Reads the written forms of ids, of whichever back-end.
 */
import { checkBytes, invalid } from "../base/arguments.js";
import { isTidemarkError } from "../base/errors.js";
import { fromBase64 } from "./base64.js";
import { int64IdFromBytes, int64IdFromString } from "./int64-message-id.js";
import { type BackendName, checkBackend, type MessageId, noId } from "./message-id.js";
import { pulsarIdFromBytes } from "./pulsar-message-id.js";
import { woodpeckerIdFromBytes } from "./woodpecker-message-id.js";

/**
 * The id that Milvus's text stands for; `toString` of an id gives it back. Texts are taken as Milvus takes them: base 36 in either case and with leading
 * zeros, so that "X" is the id 33.
 *
 * @throws `invalid-argument` for what is no id of that back-end
 *
 * @example
 * ```ts
 * messageIdFromString("rocksmq", "ya").compare(messageIdFromString("rocksmq", "-2")); // 1
 * ```
 */
export function messageIdFromString(backend: BackendName, text: string): MessageId {
  checkBackend("backend", backend);
  if (typeof text !== "string") throw invalid("text", "a string", text);
  if (backend !== "pulsar" && backend !== "woodpecker") return int64IdFromString(backend, text);
  const bytes = fromBase64(text);
  if (bytes === undefined) throw noId("text", backend, "base64", text);
  return protoId("text", backend, bytes, text);
}

/**
 * The id that the bytes of a position stand for; `toBytes` of an id gives them back. Of more than eight bytes of an int64 the first eight count, as in Milvus.
 *
 * @throws `invalid-argument` for what is no id of that back-end
 */
export function messageIdFromBytes(backend: BackendName, bytes: Uint8Array): MessageId {
  checkBackend("backend", backend);
  checkBytes("bytes", bytes);
  if (backend !== "pulsar" && backend !== "woodpecker") return int64IdFromBytes(backend, bytes);
  return protoId("bytes", backend, bytes, bytes);
}

/** To whoever hands in an id, damage in it is a bad argument. */
function protoId(argument: string, backend: "pulsar" | "woodpecker", bytes: Uint8Array, got: unknown): MessageId {
  try {
    return backend === "pulsar" ? pulsarIdFromBytes(bytes) : woodpeckerIdFromBytes(bytes);
  } catch (error) {
    if (!isTidemarkError(error)) throw error;
    throw noId(argument, backend, `protobuf that reads (${error.message})`, got);
  }
}
