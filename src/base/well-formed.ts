/** Whether `text` has a UTF-8 form that reads back as itself: half of a pair (a lone surrogate) has none. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
