/** Below this `set` is quicker, however slow its way of copying. */
const worthFilling = 256;

/**
 * Copies `bytes` to `at` in `into`, which has room for them: `into.set(bytes, at)`, quick also where `into` is memory that threads share.
 *
 * V8 copies into shared memory byte by byte unless both places are aligned, at nine times the cost; `fill` copies as the system does.
 */
export function copyBytes(into: Buffer, at: number, bytes: Uint8Array): void {
  // Of memory that was transferred nothing is left, and `set` throws even for that.
  if (bytes.byteLength === 0) return;
  if (bytes.byteLength < worthFilling) into.set(bytes, at);
  else into.fill(bytes, at, at + bytes.byteLength);
}
