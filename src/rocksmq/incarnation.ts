/**
 * What tells a channel from another of its name, made before or later.
 *
 * Its first id alone does not: with ids from outside a channel that nothing was ever produced to leaves its first id to the next. Its record
 * is made with it. Only a salvage loses records, and only an `alterChannel` brings one back.
 */
import type { MetaView } from "../storage/index.js";
import { channelKey } from "./keys.js";

/** One life of a channel. */
export interface Incarnation {
  readonly firstId: bigint;
  /** The revision that its record came with; undefined when that is lost. */
  readonly madeAt: bigint | undefined;
}

/** Which one `channel` is; `meta` is of the same moment. */
export function incarnationOf(
  meta: Pick<MetaView, "get">,
  { name, firstId }: { readonly name: string; readonly firstId: bigint },
): Incarnation {
  return { firstId, madeAt: meta.get(channelKey(name))?.createRevision };
}

/** Whether the one found is still that of before. */
export function isStill(before: Incarnation, found: Incarnation): boolean {
  return before.firstId === found.firstId && (before.madeAt === undefined || before.madeAt === found.madeAt);
}
