/**
 * What of a stream keeps a process alive: who waits for it. Node ends a program that awaits and has nothing to hold on to with exit code 13.
 */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../layers/imports.js";
import { type Outcome, runProgram } from "../rocksmq/program.js";

const factories = {
  memory: "memoryMsgStreamFactory()",
  RocksMq: "rocksMqMsgStreamFactory(await openRocksMq({ dir }))",
};

/** Runs the body of a program that has a time-tick stream of the channel "c", and a producer of it. */
function run(factory: string, body: string): Promise<Outcome> {
  return runProgram(`
    const { memoryMsgStreamFactory, rocksMqMsgStreamFactory } = await import(${JSON.stringify(join(root, "dist/stream/index.js"))});
    const { timeTick, tsMsg } = await import(${JSON.stringify(join(root, "dist/message/index.js"))});
    const factory = ${factory};
    const producer = await factory.newMsgStream();
    await producer.asProducer(["c"]);
    const stream = await factory.newTtMsgStream({ idleMs: 100_000 });
    await stream.asConsumer(["c"], "s");
    stream.start();
    // Holds nothing: it comes only if something else has held the process until then.
    const later = (ms, f) => setTimeout(f, ms).unref();
    ${body}`);
}

describe.each(Object.entries(factories))("a process with a stream over %s", (_name, factory) => {
  it("that nobody waits for exits, and what was awaited is there", async () => {
    const outcome = await run(
      factory,
      `await producer.broadcast({ msgs: [tsMsg({ type: "timeTick", timestamp: timeTick(1) })] });
      const pack = await stream.consume();
      stream.events();
      later(5_000, () => console.log("it should have ended long before"));
      console.log("pack", pack.endTs === timeTick(1));`,
    );

    expect(outcome).toEqual({ code: 0, stdout: "pack true\n", stderr: "" });
  });

  it.each([
    ["a consume", "await stream.consume();"],
    ["a loop over its packs", "for await (const _ of stream);"],
    ["a loop over its events", "for await (const _ of stream.events());"],
  ])("does not exit while %s waits", async (_waiting, body) => {
    const outcome = await run(factory, `later(100, () => { console.log("held"); process.exit(0); }); ${body}`);

    expect(outcome).toEqual({ code: 0, stdout: "held\n", stderr: "" });
  });
});
