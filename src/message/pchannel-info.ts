/**
 * A physical channel as Milvus's coordinator tells of it: its name, the term of its owner, and what may be done with it.
 */
import { checkBytes, checkWord, invalid } from "../base/arguments.js";
import { type PChannelName, pchannelName } from "./channel-name.js";
import { PChannelAccessMode, PChannelInfoSchema } from "./gen/milvus/streaming_pb.js";
import { checkInt64 } from "./numbers.js";
import { corruptField, decodeProto, encodeProto } from "./proto-codec.js";
import { originOf, readFrom } from "./read-from.js";

/** What Milvus tells of a channel. */
export interface PChannelInfo {
  readonly name: PChannelName;
  /** Rises with each owner; at least 1. */
  readonly term: bigint;
  /** Read and write, or read only. */
  readonly accessMode: "rw" | "ro";
}

/** Milvus's protobuf of a channel. @throws `invalid-argument` naming the field */
export function pchannelInfoToBytes(info: PChannelInfo): Uint8Array {
  if (typeof info !== "object" || info === null) throw invalid("info", "an object with name, term and accessMode", info);
  const { name, term, accessMode } = info;
  pchannelName(name);
  checkInt64("info.term", term);
  if (term <= 0n) throw invalid("info.term", "at least 1", term);
  checkWord("info.accessMode", accessMode, ["rw", "ro"]);
  const mode = accessMode === "ro" ? PChannelAccessMode.PCHANNEL_ACCESS_READONLY : PChannelAccessMode.PCHANNEL_ACCESS_READWRITE;
  return encodeProto(PChannelInfoSchema, { ...originOf(PChannelInfoSchema, info), name, term, accessMode: mode }, "info");
}

/**
 * The channel in Milvus's protobuf.
 *
 * @throws `corrupt` with the field, where Milvus panics: no name, a term below 1, a mode that there is not
 */
export function pchannelInfoFromBytes(bytes: Uint8Array): PChannelInfo {
  checkBytes("bytes", bytes);
  const origin = decodeProto(PChannelInfoSchema, bytes, "info");
  const { name, term, accessMode } = origin;
  if (term <= 0n) throw corruptField("info.term", 0, `a term of ${term}`);
  switch (accessMode) {
    case PChannelAccessMode.PCHANNEL_ACCESS_READWRITE:
      return readFrom({ name: nameIn(name), term, accessMode: "rw" }, origin);
    case PChannelAccessMode.PCHANNEL_ACCESS_READONLY:
      return readFrom({ name: nameIn(name), term, accessMode: "ro" }, origin);
    default:
      throw corruptField("info.access_mode", 0, `no mode has the number ${String(accessMode)}`);
  }
}

function nameIn(name: string): PChannelName {
  try {
    return pchannelName(name);
  } catch (error) {
    throw corruptField("info.name", 0, "no name of a channel", error);
  }
}
