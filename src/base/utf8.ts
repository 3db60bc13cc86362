/**
 * UTF-8 of short texts: letter by letter, since a call of Node's own costs more than the text.
 */

/** Above this Node's own calls are quicker. */
const shortText = 64;

/** How many bytes of UTF-8 a well-formed text takes. */
export function utf8Bytes(text: string): number {
  if (text.length > shortText || !isAscii(text)) return Buffer.byteLength(text);
  return text.length;
}

/** Writes a well-formed text of so many bytes at `at`, where there is room for it; returns where it ends. */
export function writeUtf8(into: Buffer, at: number, text: string, bytes: number): number {
  // As many bytes as letters: ASCII.
  if (bytes > shortText || bytes !== text.length) into.write(text, at, bytes, "utf8");
  else for (let letter = 0; letter < bytes; letter++) into[at + letter] = text.charCodeAt(letter);
  return at + bytes;
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}
