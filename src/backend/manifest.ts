/**
 * What a back-end keeps of the laws of the port, and why not where it does not.
 *
 * Most laws bind everybody. Those here may be left out, since there are logs that can't keep them; the conformance suite then does not ask for them, and
 * whoever builds on a back-end reads here what it must do without.
 */
import type { BackendName } from "../message/index.js";

/** The laws that a back-end may be exempt from. */
export const exemptibleLaws = {
  "keeps-over-reopen": "what was acknowledged is there after a close and an open",
  "many-clients": "another client of the same log sees the same, at once",
  "groups-are-whole": "a group is there whole or not at all, also when its outcome is unknown",
  "ids-never-return": "no id is given out twice, also not in a channel that is destroyed and made again",
  "trims-exactly": "a trim leaves nothing before its id",
  "tells-what-is-ahead": "a start that the channel has not reached is position-ahead",
  "resume-points-together": "resume points that are saved together are there together",
} as const;

/** A law that a back-end may be exempt from. */
export type ExemptibleLaw = keyof typeof exemptibleLaws;

/** What one back-end says of itself. */
export interface BackendManifest {
  readonly name: BackendName;
  /** The laws it does not keep, each with the reason. */
  readonly exempt: Readonly<Partial<Record<ExemptibleLaw, string>>>;
}
