/** The tortured queue, the same in every process. */
import { join } from "node:path";
import { openRocksMq, type RocksMq, type RocksMqEvent } from "../../rocksmq/index.js";

/** One channel each, with three producers and a consumer. */
export const channels = ["north", "east", "south", "west"] as const;
/** Made and destroyed again and again. */
export const comingAndGoing = "coming-and-going";
/** Reads all channels. */
export const group = "reader";

/** Small segments: files come and go all the time. */
const segmentBytes = 512 * 1024;

/** Where the queue is in the folder that was named. */
export function queueIn(folder: string): string {
  return join(folder, "queue");
}

/** Opens it to write, which recovers it. */
export function openTortured(folder: string): Promise<RocksMq> {
  return openRocksMq({ dir: queueIn(folder), segmentBytes });
}

/** Opens it as it lies there. */
export function lookAtTortured(folder: string): Promise<RocksMq> {
  return openRocksMq({ dir: queueIn(folder), readOnly: true });
}

/** Bytes that this open had to drop; undefined when the last one to have the queue open had closed it. */
export async function droppedAtOpen(mq: RocksMq): Promise<number | undefined> {
  const events = mq.events();
  // What holds for this open is waiting there already.
  const first = firstRecovery(events);
  await events.close();
  return first;
}

async function firstRecovery(events: AsyncIterable<RocksMqEvent>): Promise<number | undefined> {
  for await (const event of events) if (event.type === "recovered") return event.droppedBytes;
  return undefined;
}
