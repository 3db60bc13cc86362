/** Many streams of one factory, and many factories over one queue: nothing of ours is what Node takes for a leak and warns of. */
import { expect, it, onTestFinished } from "vitest";
import { openRocksMq } from "../../src/rocksmq/index.js";
import { memoryMsgStreamFactory, type MsgStreamFactory, rocksMqMsgStreamFactory } from "../../src/stream/index.js";
import { MemoryVfs } from "../../src/testing/index.js";
import { nothingElse } from "./logs.js";

const many = 20;

it.each([
  ["over memory", () => Promise.resolve([memoryMsgStreamFactory()])],
  [
    "over queues",
    async () => {
      const mq = await openRocksMq({ dir: "/queue", vfs: new MemoryVfs(), prefill: "off" });
      onTestFinished(() => mq.close());
      return Array.from({ length: many }, () => rocksMqMsgStreamFactory(mq));
    },
  ],
] as const)("%s warn of no leak, and end their events with their factory", async (_, open) => {
  const warnings: string[] = [];
  const note = (warning: Error): number => warnings.push(warning.message);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  const factories: readonly MsgStreamFactory[] = await open();

  const streams = await Promise.all(factories.flatMap((factory) => Array.from({ length: many }, () => factory.newMsgStream())));
  const events = streams.map((stream) => stream.events()[Symbol.asyncIterator]().next());
  await nothingElse();
  await Promise.all(factories.map((factory) => factory.close()));

  for (const event of await Promise.all(events)) expect(event).toEqual({ done: true, value: undefined });
  expect(warnings).toEqual([]);
});
