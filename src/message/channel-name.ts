/**
 * Names of channels. A pchannel is one log; a vchannel is one shard of one collection, and lives on one pchannel.
 *
 *     by-dev-rootcoord-dml_3  _  4500  v  0
 *     pchannel                   │        └ index of the shard
 *                                └ collection
 *
 * Any other name may be a vchannel too; only the form above says by itself where it lives. Milvus reads a collection's digits as octal when they begin
 * with 0; here they are decimal, always.
 */
import { invalid } from "../base/arguments.js";
import type { Brand } from "../base/brand.js";
import { isWellFormed } from "../base/well-formed.js";
import { mostInt64 } from "./numbers.js";

/** The name of a physical channel: 1 to 255 bytes of UTF-8, no NUL, no "/". */
export type PChannelName = Brand<string, "PChannelName">;

/** The name of a virtual channel: the same rules. */
export type VChannelName = Brand<string, "VChannelName">;

/** The longest name, in bytes of UTF-8. */
const longestName = 255;

/** How a control channel's name ends: it carries what is about a whole pchannel. */
const controlEnding = "vcchan";

/** @throws `invalid-argument` that says which rule the name breaks */
export function pchannelName(name: string): PChannelName {
  checkName("pchannel", name);
  return name as PChannelName;
}

/** @throws `invalid-argument` that says which rule the name breaks */
export function vchannelName(name: string): VChannelName {
  checkVChannel("vchannel", name);
  return name;
}

/** @throws `invalid-argument` that says which rule the name breaks */
export function checkVChannel(argument: string, name: unknown): asserts name is VChannelName {
  checkName(argument, name);
}

/** What a name in Milvus's form says. */
export interface ChannelParts {
  readonly pchannel: PChannelName;
  readonly collectionId: bigint;
  readonly shard: bigint;
}

/** What a vchannel's name says of itself, or undefined where it is not in Milvus's form: `<pchannel>_<digits>v<digits>`. @throws `invalid-argument` for what is no text */
export function channelParts(name: string): ChannelParts | undefined {
  if (typeof name !== "string") throw invalid("name", "a name", name);
  const [, pchannel, collection = "", shard = ""] = /^(.+)_(\d{1,19})v(\d{1,19})$/s.exec(name) ?? [];
  if (!isPChannelName(pchannel)) return undefined;
  const parts = { pchannel, collectionId: BigInt(collection), shard: BigInt(shard) };
  return parts.collectionId <= mostInt64 && parts.shard <= mostInt64 ? parts : undefined;
}

/** The vchannel of a shard of a collection on a pchannel. @throws `invalid-argument` naming the part */
export function vchannelOfShard(parts: ChannelParts): VChannelName {
  if (typeof parts !== "object" || parts === null) throw invalid("parts", "an object with pchannel, collectionId and shard", parts);
  const { pchannel, collectionId, shard } = parts;
  checkName("parts.pchannel", pchannel);
  checkCount("parts.collectionId", collectionId);
  checkCount("parts.shard", shard);
  return vchannelName(`${pchannel}_${collectionId}v${shard}`);
}

/** The channel that carries what is about the whole of a pchannel. @throws `invalid-argument` */
export function controlChannelOf(pchannel: PChannelName): VChannelName {
  checkName("pchannel", pchannel);
  return vchannelName(`${pchannel}_${controlEnding}`);
}

/** Whether a name is a control channel's. @throws `invalid-argument` for what is no text */
export function isControlChannel(name: string): boolean {
  if (typeof name !== "string") throw invalid("name", "a name", name);
  return name.endsWith(controlEnding);
}

function checkName(argument: string, name: unknown): asserts name is string {
  const rule = brokenRule(name);
  if (rule !== undefined) throw invalid(argument, rule, name);
}

/** A collection, or a shard of it: only what `channelParts` would read. */
function checkCount(argument: string, value: unknown): void {
  if (typeof value !== "bigint" || value < 0n || value > mostInt64) throw invalid(argument, "a bigint from 0 to 2^63 - 1", value);
}

function isPChannelName(name: unknown): name is PChannelName {
  return brokenRule(name) === undefined;
}

function brokenRule(name: unknown): string | undefined {
  if (typeof name !== "string") return "a name";
  if (name === "") return "a name of at least 1 byte";
  if (name.includes("\0")) return "a name without NUL";
  if (name.includes("/")) return 'a name without "/"';
  if (!isWellFormed(name)) return "a name in well-formed Unicode (it has a lone surrogate)";
  const bytes = Buffer.byteLength(name);
  return bytes > longestName ? `a name of at most ${longestName} bytes (it has ${bytes})` : undefined;
}
