/**
 * What every back-end owes, as laws: one suite, a file a chapter.
 *
 * Nothing here knows which back-end it runs on. Laws that its manifest says it can't keep are not registered for it.
 */
import { describe } from "vitest";
import { anyHistory } from "./any-history.js";
import { appending } from "./appending.js";
import type { BackendUnderTest } from "./backend-under-test.js";
import { channels } from "./channels.js";
import { clients } from "./clients.js";
import { closing } from "./closing.js";
import { idsAndTimes } from "./ids-and-times.js";
import { reading } from "./reading.js";
import { resumePoints } from "./resume-points.js";
import { trimming } from "./trimming.js";

export type { BackendUnderTest, LogUnderTest } from "./backend-under-test.js";

/** Registers the suite for one back-end; call it at the top of a test file. */
export function backendConformance(under: BackendUnderTest): void {
  describe(`back-end conformance: ${under.title}`, () => {
    channels(under);
    appending(under);
    reading(under);
    idsAndTimes(under);
    trimming(under);
    resumePoints(under);
    clients(under);
    closing(under);
    anyHistory(under);
  });
}
