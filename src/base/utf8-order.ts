/**
 * The order of texts by their UTF-8 bytes, without encoding them.
 *
 * JavaScript compares UTF-16 units, where the halves of a pair (D800–DFFF) come before E000–FFFF though the pair stands for more:
 *
 *     UTF-16 units   … D7FF  [D800 pairs DFFF]  E000 … FFFF
 *     UTF-8 bytes    … D7FF  E000 … FFFF  [D800 pairs DFFF]
 */

/** Negative, 0 or positive as the UTF-8 bytes of `a` come before, are, or come after those of `b`. Both must be well-formed. */
export function compareUtf8(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at++) {
    const difference = rank(a.charCodeAt(at)) - rank(b.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Moves the halves of pairs behind all other units. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
