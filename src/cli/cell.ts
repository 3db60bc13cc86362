/**
 * Text for one place on a terminal: without control characters, and no wider than its place.
 *
 * Width is counted in columns: most characters take one, those of East Asian scripts and emoji two, combining marks none.
 */

/** Control characters, lone surrogates and what reorders text become visible escapes, so that a message can't play with the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu, escaped);
}

/** How many columns `text` takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** `text` if it fits into `columns`, else its beginning and "…". */
export function fit(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = "";
  let left = columns - 1;
  for (const character of text) {
    left -= characterWidth(character);
    if (left < 0) break;
    kept += character;
  }
  return columns < 1 ? "" : `${kept}…`;
}

/** `text` filled up with blanks to `columns`, on its right or, for figures, on its left. */
export function padded(text: string, columns: number, side: "left" | "right"): string {
  const blanks = " ".repeat(Math.max(0, columns - widthOf(text)));
  return side === "left" ? blanks + text : text + blanks;
}

function escaped(character: string): string {
  const named = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }[character];
  return named ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

function characterWidth(character: string): 0 | 1 | 2 {
  if (/^[\p{Mn}\p{Me}\p{Cf}]$/u.test(character)) return 0;
  const wide = /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303E\uFF01-\uFF60]$/u;
  return wide.test(character) ? 2 : 1;
}
