/**
 * Beside a process that writes, one look proves nothing: a file goes between its listing and its reading, a frame is half there.
 *
 *     look ─▶ bad at A ─▶ look ─▶ bad at B ─▶ look ─▶ bad at B: it is bad
 *
 * The second look begins after the first one has seen what proves the place bad, so that a place that is bad twice is bad.
 */
import { isTidemarkError } from "../../base/errors.js";

/** A writer makes something new of a store at most a few times while it is looked at. */
export const mostLooks = 50;

/**
 * What `look` gives, once it gives something or has found the same place bad twice running.
 *
 * @param between is done before each further look
 * @throws what `look` threw: `corrupt` the second time, everything else at once; what `between` threw
 */
export async function untilItHolds<T>(look: () => Promise<T>, between: () => Promise<void> = () => Promise.resolve()): Promise<T> {
  let badBefore: string | undefined;
  for (let looks = 1; ; looks++) {
    try {
      return await look();
    } catch (error) {
      if (!isTidemarkError(error, "corrupt")) throw error;
      // The message says the place, and what is bad there.
      if (error.message === badBefore || looks === mostLooks) throw error;
      badBefore = error.message;
    }
    await between();
  }
}
