/**
 * Base64 as Milvus's properties hold it: the standard alphabet, padded.
 *
 * `Buffer` alone would not do: it reads the URL alphabet too, stops at padding in the middle and skips whatever it does not know, so that damage would
 * decode to something.
 */

/** The text of bytes. */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** The bytes of a text, or undefined where it is none. Line ends are skipped, as Go does. */
export function fromBase64(text: string): Uint8Array | undefined {
  const plain = text.replace(/[\r\n]/g, "");
  if (plain.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(plain)) return undefined;
  return new Uint8Array(Buffer.from(plain, "base64"));
}
