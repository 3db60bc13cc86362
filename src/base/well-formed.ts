/** Whether `text` has a UTF-8 form that reads back as itself: half of a pair (a lone surrogate) has none. */
export function isWellFormed(text: string): boolean {
  // With the u flag a pair is one character, so that only lone halves are left to be of the category.
  return !/\p{Surrogate}/u.test(text);
}
