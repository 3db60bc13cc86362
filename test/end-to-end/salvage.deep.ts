import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { scratchFolder, start, tidemark } from "./program.js";

const folder = scratchFolder();
const dir = join(folder, "data");
const queue = join(dir, "queue");

function digest(): string[] {
  return readdirSync(queue)
    .sort()
    .map(
      (name) =>
        `${name} ${
          name.startsWith("lock.")
            ? ""
            : createHash("sha256")
                .update(readFileSync(join(queue, name)))
                .digest("hex")
        }`,
    );
}

/** Turns a bit over in the byte where the text stands. */
function damage(text: string): string {
  for (const name of readdirSync(queue).filter((one) => one.endsWith(".seg"))) {
    const bytes = readFileSync(join(queue, name));
    const at = bytes.indexOf(text);
    if (at < 0) continue;
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    writeFileSync(join(queue, name), bytes);
    return name;
  }
  throw new Error(`there is no ${text}`);
}

beforeAll(async () => {
  await tidemark(["channel", "create", "orders", "--dir", dir]);
  await tidemark(["group", "create", "billing", "--dir", dir]);
  for (const part of ["a", "b", "c"]) {
    const input = Array.from({ length: 100 }, (_, n) => `order ${part}${n}\n`).join("");
    await tidemark(["produce", "orders", "--dir", dir], { input });
  }
  await tidemark(["consume", "orders", "--group", "billing", "--max", "7", "--dir", dir]);
});

describe("salvage", () => {
  it("copies a sound queue whole and exits with 0", async () => {
    const before = digest();
    const to = join(folder, "sound");

    const { code, stdout, stderr } = await tidemark(["salvage", dir, "--to", to]);

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("nothing is missing");
    expect(digest()).toEqual(before);
    for (const command of [
      ["consume", "orders", "--json"],
      ["group", "ls"],
    ]) {
      const [copy, original] = await Promise.all([to, dir].map((where) => tidemark([...command, "--dir", where])));
      expect(copy).toEqual(original);
    }
    expect((await tidemark(["produce", "orders", "--dir", to], { input: "more\n" })).code).toBe(0);
  });

  it("goes around damage, lists it with file, offset and ids, and exits with 1", async () => {
    const original = (await tidemark(["consume", "orders", "--dir", dir])).stdout;
    const file = damage("order b50");
    const before = digest();
    const to = join(folder, "holed");

    const { code, stdout, stderr } = await tidemark(["salvage", queue, "--to", to]);
    const json = await tidemark(["salvage", queue, "--to", `${to}-json`, "--json"]);

    expect(code).toBe(1);
    expect(stdout).toMatch(
      new RegExp(`^hole: .*${file} at offset \\d+ \\([\\d,]+ bytes\\): .*\\n {6}orders: behind id \\d+, before id \\d+$`, "m"),
    );
    expect(stderr).toMatch(/^tidemark salvage: 1 hole in [^\n]*; all that is sound is in [^\n]*\n$/);
    expect(digest()).toEqual(before);
    // A bare folder was named, and the copy is one; for --dir it stands in a folder "queue".
    expect(existsSync(join(to, "checkpoint"))).toBe(true);
    const inspected = JSON.parse((await tidemark(["inspect", to, "--verify", "--json"])).stdout) as object;
    expect(inspected).toMatchObject({ problems: [], channels: [{ name: "orders", messages: "200" }] });
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      messages: "200",
      channels: [{ name: "orders", messages: "200" }],
      holes: [{ file: join(queue, file), around: [{ channel: "orders" }] }],
    });
    const whole = join(folder, "holed-data");
    await tidemark(["salvage", dir, "--to", whole]);
    const lines = original.split("\n").filter((line) => !line.startsWith("order b"));
    expect((await tidemark(["consume", "orders", "--dir", whole])).stdout.split("\n")).toEqual(lines);
  });

  it("refuses a place that is not empty, or lies in the source, and a queue that is open", async () => {
    const sound = join(folder, "sound");
    for (const [args, code, text] of [
      [[dir], 2, "--to is missing"],
      [[dir, "--to", sound], 2, "is not empty"],
      [[dir, "--to", join(queue, "inside")], 2, "lies inside"],
      [[join(folder, "nowhere"), "--to", join(folder, "new")], 1, "nowhere"],
    ] as const) {
      const end = await tidemark(["salvage", ...args]);
      expect(end.stderr).toContain(text);
      expect(end.code).toBe(code);
    }
    const producer = start(["produce", "orders", "--dir", sound]);
    // From the earliest on: whichever of the two is up first, what the producer had to open the queue for is seen.
    const follower = start(["consume", "orders", "--from", "earliest", "--follow", "--dir", sound]);
    producer.stdin.write("open\n");
    let seen = "";
    await new Promise<void>((resolve) => {
      follower.stdout.on("data", (chunk: Buffer) => {
        seen += chunk.toString();
        if (seen.includes("open")) resolve();
      });
    });
    const end = await tidemark(["salvage", sound, "--to", join(folder, "new")]);
    producer.kill("SIGKILL");
    follower.kill("SIGKILL");

    expect(end).toMatchObject({ code: 1, stdout: "" });
    expect(end.stderr).toContain(`in process ${producer.pid ?? 0}`);
    expect(existsSync(join(folder, "new"))).toBe(false);
  });

  it("leaves nothing behind when it fails in the middle", async () => {
    const bad = join(folder, "bad");
    await tidemark(["channel", "create", "orders", "--dir", bad]);
    await tidemark(["produce", "orders", "--dir", bad], { input: "x\n" });
    for (const name of readdirSync(join(bad, "queue"))) {
      if (name.endsWith(".seg")) writeFileSync(join(bad, "queue", name), "not a segment");
    }
    rmSync(join(bad, "queue", "checkpoint"));

    const end = await tidemark(["salvage", bad, "--to", join(folder, "nothing")]);

    expect(end).toMatchObject({ code: 2, stdout: "" });
    expect(existsSync(join(folder, "nothing"))).toBe(false);
  });
});
