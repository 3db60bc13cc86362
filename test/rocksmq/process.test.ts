/**
 * What keeps a process alive. Each program runs by itself; when its event loop has nothing to hold on to while it awaits, Node ends it with
 * exit code 13 instead of 0.
 */
import { describe, expect, it } from "vitest";
import { type Outcome, runProgram } from "./program.js";

/** Runs the body of a program that has an open queue `mq` with channel "c" and group "g". */
function run(body: string): Promise<Outcome> {
  return runProgram(`
    const mq = await openRocksMq({ dir });
    await mq.createChannel("c");
    await mq.createConsumerGroup("g");
    // Holds nothing: it comes only if something else has held the process until then.
    const later = (ms, f) => setTimeout(f, ms).unref();
    ${body}`);
}

const held = `later(400, () => { console.log("held"); process.exit(0); });`;

describe("a process", () => {
  it("whose only work is a consume that waits does not exit", async () => {
    const outcome = await run(
      `const got = await mq.consume("g", "c", 1, { waitMs: 400 }); console.log("waited", got.length); await mq.close();`,
    );

    expect(outcome).toEqual({ code: 0, stdout: "waited 0\n", stderr: "" });
  });

  it.each([
    ["a parked subscription", `${held} for await (const _ of mq.subscribe("g", "c"));`],
    ["a parked reader", `${held} for await (const _ of mq.read("c", { from: "latest", follow: true }));`],
    ["a parked listener", `${held} for await (const _ of mq.events());`],
    ["a seek that waits", `${held} await mq.seek("g", "c", 2n ** 62n, { waitMs: 60_000 });`],
    ["consumes in line", `${held} await Promise.all([1, 2].map(() => mq.consume("g", "c", 1, { waitMs: 60_000 })));`],
  ])("with %s does not exit", async (_, body) => {
    expect(await run(body)).toEqual({ code: 0, stdout: "held\n", stderr: "" });
  });

  it("with an idle open queue exits, and everything awaited is there", async () => {
    const outcome = await run(`
      await mq.produce("c", [{ payload: new Uint8Array(10) }]);
      await mq.consume("g", "c", 1);
      mq.subscribe("g", "c");
      mq.events();
      later(5_000, () => console.log("it should have ended long before"));
      console.log("idle");`);

    expect(outcome).toEqual({ code: 0, stdout: "idle\n", stderr: "" });
  });

  it("exits when a loop ends, and lets the last produce finish", async () => {
    const outcome = await run(`
      for (let i = 0; i < 3; i++) await mq.produce("c", [{ payload: new Uint8Array(10) }]);
      for await (const batch of mq.subscribe("g", "c", { batch: 1 })) if (batch[0].id === (await mq.latestId("c"))) break;
      mq.produce("c", [{ payload: new Uint8Array(10) }]).then(({ count }) => console.log("stored", count));`);

    expect(outcome).toEqual({ code: 0, stdout: "stored 1\n", stderr: "" });
  });
});
