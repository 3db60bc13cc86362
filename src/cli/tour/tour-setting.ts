/** What the steps of the tour share. */
import type { Clock } from "../../base/clock.js";
import { openRocksMq, type RocksMq } from "../../rocksmq/index.js";
import { queueFolder } from "../store-folder.js";
import type { Flights } from "./flights.js";
import type { Stage } from "../stage.js";

/** The place, the data, the voice. */
export interface Setting {
  readonly folder: string;
  readonly flights: Flights;
  readonly stage: Stage;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Smaller segments than the default 64 MiB, so that 20 MB are enough to see some of them go. */
const segmentBytes = 4 * 1024 * 1024;

/** Messages in a batch of the writer that is killed: they must come back together or not at all. */
export const writerBatch = 200;

/** The tour's queue, the same way in every process. */
export function openTourQueue(folder: string): Promise<RocksMq> {
  return openRocksMq({ dir: queueFolder(folder), segmentBytes });
}
