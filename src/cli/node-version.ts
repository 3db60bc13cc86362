/** The oldest Node that runs Tidemark, as package.json has it. Nothing here needs a new one. */
export const oldestNode = "20.19.4";

/** @param version as in `process.versions.node`; a pre-release counts as its release */
export function isTooOld(version: string): boolean {
  const oldest = numbers(oldestNode);
  const given = numbers(version);
  const at = oldest.findIndex((number, place) => number !== (given[place] ?? 0));
  return at >= 0 && (given[at] ?? 0) < (oldest[at] ?? 0);
}

function numbers(version: string): number[] {
  return version.split(".").map((part) => Number.parseInt(part, 10));
}
