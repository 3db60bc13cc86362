/**
 * The commands that only read, beside a program that has the queue open and writes.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../layers/imports.js";
import { ended, scratchFolder, start, tidemark } from "./program.js";

const folder = scratchFolder();
const dir = join(folder, "data");

/** A program that never rests: produces, trims, destroys and makes channels until its input ends. Says "begun" when there is something to see. */
const restless = `
import { openRocksMq } from ${JSON.stringify(`${root}dist/rocksmq/index.js`)};
const mq = await openRocksMq({ dir: ${JSON.stringify(join(dir, "queue"))}, segmentBytes: 16384 });
let ended = false;
process.stdin.on("data", () => undefined).on("end", () => (ended = true));
const payload = (n) => new TextEncoder().encode("message " + n + " " + "x".repeat(n % 700));
for (let n = 0; !ended; n++) {
  const { lastId } = await mq.produce("orders", [{ payload: payload(n) }, { payload: payload(n) }]);
  await mq.produce("coming and going", [{ payload: payload(n) }]);
  if (n % 20 === 19) await mq.trim("orders", lastId - 10n);
  if (n % 50 === 49) {
    await mq.destroyChannel("coming and going");
    await mq.createChannel("coming and going");
  }
  if (n === 60) console.log("begun");
}
await mq.close();
`;

let writer: ChildProcessWithoutNullStreams;

beforeAll(async () => {
  await tidemark(["channel", "create", "orders", "--dir", dir]);
  await tidemark(["channel", "create", "coming and going", "--dir", dir]);
  await tidemark(["group", "create", "billing", "--dir", dir]);
  await tidemark(["produce", "orders", "--dir", dir], { input: "first\n" });
  await tidemark(["consume", "orders", "--group", "billing", "--max", "1", "--dir", dir]);
  writeFileSync(join(folder, "restless.mjs"), restless);
  writer = spawn(process.execPath, [join(folder, "restless.mjs")]);
  writer.stderr.pipe(process.stderr);
  await once(createInterface({ input: writer.stdout }), "line");
});

afterAll(async () => {
  const end = once(writer, "exit");
  writer.stdin.end();
  await end;
  if (writer.exitCode !== 0) throw new Error(`the writer ended with ${writer.exitCode ?? "a signal"}`);
});

describe("beside a program that writes", () => {
  it.each([
    ["channel ls", /orders +\d/],
    ["channel describe orders", /messages +\d/],
    ["group ls", /billing +orders +\d/],
    ["consume orders --max 5", /^message \d/],
  ])("%s reads", async (line, expected) => {
    for (let round = 0; round < 3; round++) {
      const { code, stdout, stderr } = await tidemark([...line.split(" "), "--dir", dir]);

      expect(stderr).toBe("");
      expect(stdout).toMatch(expected);
      expect(code).toBe(0);
    }
  });

  it("inspect finds nothing bad, and says who has the store open", async () => {
    for (let round = 0; round < 5; round++) {
      const { code, stdout, stderr } = await tidemark(["inspect", dir, "--verify"]);

      expect(stderr).toBe("");
      expect(stdout).toContain(`open      in process ${writer.pid ?? 0};`);
      expect(stdout).toContain("sound: every byte of");
      expect(code).toBe(0);
    }
  });

  it("what would write is refused with the pid of the other", async () => {
    for (const line of [
      "channel create new",
      "consume orders --group billing",
      "trim orders --before 1s",
      "group seek billing orders latest",
    ]) {
      const { code, stderr } = await tidemark([...line.split(" "), "--dir", dir]);

      expect(stderr).toContain(String(writer.pid));
      expect(code).toBe(1);
    }
  });
});

describe("consume --follow without a group", () => {
  it("prints what another process produces, as it comes, until it is interrupted", async () => {
    const queue = join(folder, "followed");
    await tidemark(["channel", "create", "orders", "--dir", queue]);
    const producer = start(["produce", "orders", "--dir", queue]);
    const follower = start(["consume", "orders", "--follow", "--dir", queue]);
    const lines = createInterface({ input: follower.stdout })[Symbol.asyncIterator]();
    const end = ended(follower);

    for (const text of ["one", "two", "three"]) {
      producer.stdin.write(`${text}\n`);
      expect((await lines.next()).value).toBe(text);
    }
    const producerEnd = ended(producer);
    producer.stdin.end();
    expect((await producerEnd).code).toBe(0);
    await tidemark(["produce", "orders", "--dir", queue], { input: "of another process\n" });
    expect((await lines.next()).value).toBe("of another process");

    follower.kill("SIGINT");
    expect(await end).toMatchObject({ code: 130, stderr: "" });
  });

  it("ends with a sentence when what comes next was trimmed", async () => {
    const queue = join(folder, "trimmed");
    await tidemark(["channel", "create", "orders", "--dir", queue]);
    await tidemark(["produce", "orders", "--dir", queue], { input: "a\nb\nc\n" });

    const end = await tidemark(["consume", "orders", "--from", "1", "--dir", queue]);

    expect(end.code).toBe(1);
    expect(end.stderr).toMatch(/^tidemark consume: [^\n]*begins at \d+[^\n]*\n$/);
  });
});
