import type { Clock } from "../base/clock.js";

/** However slow the disk is. */
const leastGroups = 5;

/** Writes one group after the other, for about so long or until there are `most`; how many a second that is. */
export function groupsPerSecond(
  clock: Clock,
  { ms, most = Infinity }: { readonly ms: number; readonly most?: number },
  write: () => void,
): number {
  const startedAt = clock.monotonicMs();
  for (let groups = 1; ; groups += 1) {
    write();
    const tookMs = clock.monotonicMs() - startedAt;
    const isEnough = tookMs >= ms || groups >= most;
    if (isEnough && groups >= leastGroups) return (groups * 1000) / tookMs;
  }
}
