/** What an open queue does to the process that it lives in, besides its work: nothing. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../layers/imports.js";
import { newDirectory, type Outcome, runProgram } from "./program.js";

/** As `runProgram`, from a file: a program that is given on the command line has options that its threads inherit. */
function runFile(body: string): Outcome {
  const place = newDirectory();
  const path = join(place, "program.mjs");
  const door = JSON.stringify(join(root, "dist/rocksmq/index.js"));
  writeFileSync(path, `import { openRocksMq } from ${door}; const dir = ${JSON.stringify(join(place, "queue"))}; ${body}`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [path], { encoding: "utf8", timeout: 20_000 });
  return { code: status, stdout, stderr };
}

/** Ends the program some time after it should have ended by itself, and says so. */
const guard = `setTimeout(() => { console.log("it holds the process"); process.exit(1); }, 5_000).unref();`;

it("a process that has opened a queue and done nothing with it exits", () => {
  const outcome = runFile(`
    ${guard}
    await openRocksMq({ dir });
    console.log("open");`);

  expect(outcome).toEqual({ code: 0, stdout: "open\n", stderr: "" });
});

it("a process whose queue could not be opened exits", () => {
  const outcome = runFile(`
    ${guard}
    const { NodeVfs } = await import(${JSON.stringify(join(root, "dist/base/node-vfs.js"))});
    const vfs = new NodeVfs();
    const open = vfs.open.bind(vfs);
    vfs.open = async (path, mode) => {
      if (path.endsWith("reserve") && mode === "create") throw Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
      return open(path, mode);
    };
    await openRocksMq({ dir, vfs }).catch((error) => console.log(error.code));`);

  expect(outcome).toEqual({ code: 0, stdout: "io-failed\n", stderr: "" });
});

it("a blocking write to stdout stays one while a queue is open, however slow the reader", () => {
  // More than a pipe holds: one that somebody has made non-blocking answers EAGAIN.
  const outcome = runFile(`
    const { writeSync } = await import("node:fs");
    const mq = await openRocksMq({ dir });
    await mq.createChannel("c");
    writeSync(1, "x".repeat(1_000_000) + "\\n");
    await mq.close();`);

  expect([outcome.code, outcome.stderr, outcome.stdout.length]).toEqual([0, "", 1_000_001]);
});

it("a program that is given on the command line can open a queue as well", async () => {
  const outcome = await runProgram(`
    const mq = await openRocksMq({ dir });
    await mq.createChannel("c");
    console.log("made");
    await mq.close();`);

  expect(outcome).toEqual({ code: 0, stdout: "made\n", stderr: "" });
});
