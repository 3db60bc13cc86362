import type { Logger } from "../base/logger.js";

/** A trim whose channel has messages below `beforeId` that only a look at them tells. */
interface Trim {
  readonly channel: string;
  readonly beforeId: bigint;
  readonly logger: Logger;
}

/** The last message below, as `look` finds it. What can't be read keeps nobody from trimming it away: then it is as if there was one right before. */
export async function lastTrimmed(
  { channel, beforeId, logger }: Trim,
  look: () => Promise<bigint | undefined>,
): Promise<bigint | undefined> {
  try {
    return await look();
  } catch (error) {
    logger.warn({ err: error, channel }, "which message a trim removes last can't be read: the channel begins where it was asked to");
    return beforeId - 1n;
  }
}
