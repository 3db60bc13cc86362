import { crc32 as zlibCrc32 } from "node:zlib";

/**
 * The CRC-32 of zlib, gzip and PNG.
 *
 * @param seed the crc of what stands before: `crc32(b, crc32(a))` is the crc of `a` and `b` in one. Another number makes a crc of its own kind,
 *   which only that seed confirms.
 */
export function crc32(bytes: Uint8Array, seed = 0): number {
  return zlibCrc32(bytes, seed);
}
