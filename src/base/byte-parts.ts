/** The most bytes to hand to the system in one call: Node counts them in 32 bits. */
export const mostBytesAtOnce = 2 ** 30;

/** The parts that are left when the first `bytes` of all of them are done with: what to write next after a short write. Copies no bytes. */
export function withoutFirst(parts: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let gone = 0;
  let left = bytes;
  for (let part = parts[0]; part !== undefined && part.byteLength <= left; part = parts[gone]) {
    left -= part.byteLength;
    gone++;
  }
  const rest = parts.slice(gone);
  const [first] = rest;
  if (first !== undefined && left > 0) rest[0] = first.subarray(left);
  return rest;
}
