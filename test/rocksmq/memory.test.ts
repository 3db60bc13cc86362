import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../layers/imports.js";
import { type Outcome, runProgram } from "./program.js";

/** Gives up 200 produces of a mebibyte, one after the other, on the queue `mq` that `setUp` opens and that takes none of them. */
function runGivingUp(setUp: string): Promise<Outcome> {
  return runProgram(`
    const { MemoryVfs } = await import(${JSON.stringify(join(root, "dist/testing/index.js"))});
    const vfs = new MemoryVfs();
    ${setUp}
    for (let i = 0; i < 200; i++) {
      const giveUp = new AbortController();
      const produced = mq.produce("c", [{ payload: new Uint8Array(1 << 20) }], { signal: giveUp.signal });
      giveUp.abort();
      await produced.catch(() => undefined);
    }
    // The collector gives buffers back beside the program, some turns later.
    let arrayBuffers = Infinity;
    for (let look = 0; look < 200 && arrayBuffers >= 16 << 20; look++) {
      gc();
      await new Promise((resolve) => setImmediate(resolve));
      arrayBuffers = process.memoryUsage().arrayBuffers;
    }
    console.log(arrayBuffers < 16 << 20 ? "free" : "held " + arrayBuffers);
    process.exit(0);`);
}

const free: Outcome = { code: 0, stdout: "free\n", stderr: "" };

describe("produces that are given up hold none of their bytes", () => {
  it("while the disk stands still", async () => {
    const outcome = await runGivingUp(`
      const mq = await openRocksMq({ dir: "/queue", vfs });
      await mq.createChannel("c");
      vfs.haltAfter(0);
      mq.produce("c", [{ payload: new Uint8Array(1) }]);
      // Its group is under way: what comes now waits behind it.
      for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));`);

    expect(outcome).toEqual(free);
  });

  it("while they wait for ids from outside", async () => {
    const outcome = await runGivingUp(`
      const mq = await openRocksMq({ dir: "/queue", vfs, ids: { alloc: () => new Promise(() => undefined) } });
      await mq.createChannel("c");`);

    expect(outcome).toEqual(free);
  });
});
