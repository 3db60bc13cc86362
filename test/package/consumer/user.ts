/**
 * A user's program, for the compiler only: it is copied beside the installed package and typechecked there with less than we have ourselves.
 * Optional inputs take `undefined`, so that what one has can be passed on.
 */
import { type Clock, isTidemarkError } from "tidemark";
import { type ConsumerMessage, openRocksMq, type RocksMqOptions } from "tidemark/rocksmq";
import { ManualClock, MemoryVfs } from "tidemark/testing";

/** Everything that a program does with a queue. */
export async function use(
  signal: AbortSignal | undefined,
  waitMs: number | undefined,
  clock: Clock | undefined,
): Promise<readonly ConsumerMessage[]> {
  const options: RocksMqOptions = { dir: "/data", durability: undefined, clock: clock ?? new ManualClock(), vfs: new MemoryVfs(1) };
  const mq = await openRocksMq(options);
  try {
    await mq.createChannel("orders", { ifNotExists: true });
    await mq.createConsumerGroup("billing", { from: "latest" });
    const { firstId } = await mq.produce("orders", [{ payload: new Uint8Array(1), properties: { kind: "new" } }], { signal });
    await mq.seek("billing", "orders", firstId, { waitMs });
    const subscription = mq.subscribe("billing", "orders", { ack: "manual", signal });
    for await (const [message] of subscription) if (message !== undefined) await subscription.ack(message.id);
    for await (const event of mq.events()) if (event.type === "failed") throw event.error;
    return await mq.consume("billing", "orders", 10, { waitMs, signal });
  } catch (error) {
    if (!isTidemarkError(error, "position-trimmed")) throw error;
    await mq.seek("billing", "orders", BigInt(error.details.firstAvailable));
    return [];
  } finally {
    await mq.close();
  }
}
