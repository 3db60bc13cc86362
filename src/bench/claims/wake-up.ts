/** How long after an ack a consume that waits on that channel has the message in its hands. */
import type { RocksMq } from "../../rocksmq/index.js";
import { type Claim, type Setting, sized } from "../claim.js";
import { type Figure, Rounds } from "../figure.js";
import { logHosts, openOn } from "../log-host.js";
import { quantile } from "../median.js";

/** `ack → a waiting consume resolves`. */
export const wakeUp: Claim = {
  name: "wake-up",
  about: "from an ack to the consume that waits for the message",
  run: async (setting) => {
    const [p50, p99] = [new Rounds("p50", "ms"), new Rounds("p99", "ms", { better: "less", must: 2, stretch: 0.5 })] as const;
    for (let round = 1; round <= sized(setting, { quick: 1, usual: 5 }); round += 1) {
      for (const host of logHosts) {
        const waits = await setting.scratch.use(async (folder) => {
          const mq = await openOn(host, { dir: folder });
          try {
            return await measure(mq, sized(setting, { quick: 200, usual: 400 }), setting);
          } finally {
            await mq.close();
          }
        });
        p50.add(quantile(waits, 0.5), host);
        p99.add(quantile(waits, 0.99), host);
      }
    }
    return [p50, p99].map((rounds): Figure => rounds.figure());
  },
};

/** Milliseconds, one a message; what comes before its ack counts as 0. */
async function measure(mq: RocksMq, messages: number, { clock, signal }: Setting): Promise<number[]> {
  await mq.createChannel("c");
  await mq.createConsumerGroup("g");
  const payload = Buffer.alloc(1024, 97);
  const waits: number[] = [];
  for (let one = 0; one < messages; one += 1) {
    signal.throwIfAborted();
    const consumed = mq.consume("g", "c", 1, { waitMs: 10_000 }).then(() => clock.monotonicMs());
    // It is parked by then: what it does before that takes no turn but one of the log.
    for (let turns = 0; turns < 4; turns += 1) await turn();
    await mq.produce("c", [{ payload }]);
    const ackedAt = clock.monotonicMs();
    waits.push(Math.max(0, (await consumed) - ackedAt));
  }
  return waits;
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
