/** Lengths in a batch's body: seven bits a byte, the lowest first, the high bit says "more". Not by shifting: that would cut them to 32 bits. */

/** How many bytes a length takes. */
export function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes++;
  return bytes;
}

/** Writes a length at `at` and returns where it ends. */
export function writeVarint(into: Buffer, at: number, value: number): number {
  let rest = value;
  let end = at;
  while (rest >= 0x80) {
    into[end++] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  into[end++] = rest;
  return end;
}

/** The length that stands at `at`. */
export function readVarint(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return first;
  let value = first & 0x7f;
  for (let next = at + 1, scale = 0x80; ; next++, scale *= 0x80) {
    const byte = bytes[next] ?? 0;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return value;
  }
}
