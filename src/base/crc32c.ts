/**
 * CRC-32C (Castagnoli), as RocksDB and others have it; `crc32.ts` is the other polynomial. Table-driven: some hundred megabytes a second.
 */

const polynomial = 0x82f6_3b78;

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1;
  return crc;
});

/** Of all parts, one behind the other; an unsigned 32-bit number. */
export function crc32c(...parts: readonly Uint8Array[]): number {
  let crc = 0xffff_ffff;
  for (const part of parts) for (const byte of part) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0);
  return ~crc >>> 0;
}
