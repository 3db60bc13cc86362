/**
 * From a primary key to the channel of its shard, as Milvus's proxy places a row.
 *
 *     int64    murmur3 (x86, 32 bits, seed 0) of its 8 bytes, little-endian; the top bit cleared
 *     text     CRC-32 of the first 100 bytes of its UTF-8, which may end inside a character
 *     channel  hash modulo the number of channels
 */
import { checkWhole, invalid } from "../base/arguments.js";
import { crc32 } from "../base/crc32.js";
import { isWellFormed } from "../base/well-formed.js";
import { checkInt64, isInt64 } from "./numbers.js";

/** Bytes of a text that count. */
const hashedBytes = 100;

/**
 * The hash key of an int64 primary key, from 0 to 2^31 - 1.
 *
 * @throws `invalid-argument` outside of int64
 */
export function hashInt64(key: bigint): number {
  checkInt64("key", key);
  return int64Hash(key);
}

/**
 * The hash key of a text primary key, from 0 to 2^32 - 1.
 *
 * @throws `invalid-argument` for a text with a lone surrogate: it has no UTF-8
 */
export function hashString(key: string): number {
  if (!isText(key)) throw invalid("key", "a text in well-formed Unicode (without lone surrogates)", key);
  return textHash(key);
}

/**
 * For each key, which of so many channels its row goes to.
 *
 * @param buckets at least 1
 * @throws `invalid-argument`
 *
 * @example
 * ```ts
 * hashToBuckets([1n, 2n, "pk-1"], 4); // [0, 0, 0]
 * ```
 */
export function hashToBuckets(keys: readonly (bigint | string)[], buckets: number): number[] {
  if (!Array.isArray(keys)) throw invalid("keys", "an array of bigints and texts", keys);
  checkWhole("buckets", buckets, 1, 2 ** 32);
  return keys.map((key, at) => hashOf(key, at) % buckets);
}

function hashOf(key: unknown, at: number): number {
  if (isInt64(key)) return int64Hash(key);
  if (isText(key)) return textHash(key);
  throw invalid(`keys[${at}]`, "an int64 as bigint, or a text in well-formed Unicode", key);
}

function isText(key: unknown): key is string {
  return typeof key === "string" && isWellFormed(key);
}

function int64Hash(key: bigint): number {
  const bits = BigInt.asUintN(64, key);
  const mixed = mix(mix(0, Number(bits & 0xffff_ffffn)), Number(bits >> 32n));
  return finish(mixed ^ 8) & 0x7fff_ffff;
}

function textHash(key: string): number {
  // 100 bytes are never more than 100 characters: a long text is not encoded whole.
  return crc32(Buffer.from(key.slice(0, hashedBytes)).subarray(0, hashedBytes));
}

/** Takes the next 4 bytes into the hash. */
function mix(hash: number, block: number): number {
  const scrambled = Math.imul(rotateLeft(Math.imul(block, 0xcc9e2d51), 15), 0x1b873593);
  return (Math.imul(rotateLeft(hash ^ scrambled, 13), 5) + 0xe6546b64) | 0;
}

/** Lets every bit of the input reach every bit of the hash. */
function finish(hash: number): number {
  let bits = hash;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

function rotateLeft(bits: number, by: number): number {
  return (bits << by) | (bits >>> (32 - by));
}
