/**
 * The lives of a queue that the explorer cuts short.
 */
import type { EngineOptions } from "../../src/storage/index.js";
import type { QueueScript } from "./queue-run.js";

/** Everything that a program does with a queue: three channels, two groups, every way of moving a cursor, a channel made again. */
export function queueLife(durability: EngineOptions["durability"]): QueueScript {
  return {
    name: `a queue's life (${JSON.stringify(durability)})`,
    durability,
    segmentBytes: 4096,
    steps: async (run) => {
      await Promise.all([run.create("a"), run.create("b"), run.createGroup("fast"), run.create("c"), run.createGroup("slow")]);
      await Promise.all([run.produce("a", 3), run.produce("b", 2, 900), run.produce("a", 2), run.produce("c", 1, 1500)]);
      await run.consume("fast", "a", 4);
      await run.consume("slow", "a", 1);
      const middle = await run.produce("b", 3, 700);
      await run.consume("slow", "c", 5);
      if (middle !== undefined) await run.seek("fast", "b", middle + 1n);
      await run.acknowledge("fast", "b");
      await Promise.all([run.produce("c", 2, 1200), run.produce("a", 1)]);
      if (middle !== undefined) await run.trim("b", middle);
      await run.destroy("c");
      await Promise.all([run.create("c"), run.produce("c", 1)]);
      await run.consume("slow", "c", 2);
      await run.reopen();
      await run.destroyGroup("slow");
      await run.consume("fast", "a", 10);
      await run.produce("a", 1, 2500);
      await run.acknowledge("fast", "a");
    },
  };
}

/** What was read goes by itself, what was not stays; what is left in mostly dead segments is copied forward. */
export function retainingLife(durability: EngineOptions["durability"]): QueueScript {
  return {
    name: `a life with retention (${JSON.stringify(durability)})`,
    durability,
    segmentBytes: 4096,
    retention: { bytes: 0 },
    steps: async (run) => {
      await Promise.all([run.create("a"), run.create("b", {}), run.createGroup("g")]);
      // Only a cursor holds something back.
      await run.consume("g", "a", 1);
      for (let round = 0; round < 3; round += 1) {
        await run.produce("b", 2, 40);
        await run.produce("a", 3, 900);
        await run.consumeAndLetGo("g", "a");
      }
      await run.pass(2500);
      await run.produce("a", 2, 300);
      await run.reopen();
      await run.produce("b", 1, 40);
      await run.consumeAndLetGo("g", "a");
      await run.pass(2500);
      await run.consume("g", "b", 100);
    },
  };
}

/** What a program does with the queue that it finds. */
export function queueAfterlife(durability: EngineOptions["durability"]): QueueScript {
  return {
    name: `a queue's afterlife (${JSON.stringify(durability)})`,
    durability,
    segmentBytes: 4096,
    steps: async (run) => {
      const [channels, groups] = [await run.mq.channels(), await run.mq.consumerGroups()];
      if (!groups.includes("fast")) await run.createGroup("fast");
      if (channels.includes("a")) await run.consume("fast", "a", 2);
      if (channels.includes("b")) await run.destroy("b");
      await run.create("b");
      await run.produce("b", 2);
      await run.consume("fast", "b", 1);
      await run.acknowledge("fast", "b");
      await run.reopen();
    },
  };
}
