import { isTidemarkError, type RocksMq } from "../rocksmq/index.js";

/** Whether the next read at this place is an error, since what should come next was trimmed. A place in a gap, behind a crash say, is none. */
export async function isTrimmed(mq: RocksMq, channel: string, id: bigint): Promise<boolean> {
  const reader = mq.read(channel, { from: id, limit: 0 });
  try {
    await reader.ready;
    return false;
  } catch (error) {
    if (isTidemarkError(error, "position-trimmed")) return true;
    throw error;
  } finally {
    await reader.close();
  }
}
