import type { TsMsg } from "../../message/index.js";

/**
 * Drops each insert and delete whose id an earlier message of the pack has, of whatever type. Id 0 means that a message has none: such messages all stay.
 *
 * Nothing is known of earlier packs. It is for producers that send again what may have arrived.
 */
export function withoutRepeats(msgs: readonly TsMsg[]): readonly TsMsg[] {
  const seen = new Set<bigint>();
  return msgs.filter(({ id, type }) => {
    if (id === 0n) return true;
    const isRepeat = seen.has(id) && (type === "insert" || type === "delete");
    seen.add(id);
    return !isRepeat;
  });
}
