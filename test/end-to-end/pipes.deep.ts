import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createHash, randomBytes } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { root } from "../layers/imports.js";
import { done, ended, scratchFolder, start, tidemark } from "./program.js";

const folder = scratchFolder();
const dir = join(folder, "data");
const main = `${root}dist/cli/main.js`;

beforeAll(async () => {
  for (const name of ["text", "raw", "json", "many", "tail", "slow"]) await done(["channel", "create", name, "--dir", dir]);
  await done(["group", "create", "readers", "--dir", dir]);
  const numbers = Array.from({ length: 200_000 }, (_, n) => `message ${n}\n`).join("");
  await done(["produce", "many", "--dir", dir], { input: numbers });
}, 60_000);

function digest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function lag(channel: string): Promise<number> {
  const { stdout } = await tidemark(["channel", "describe", channel, "--json", "--dir", dir]);
  const { groups } = JSON.parse(stdout) as { groups: { lag: string }[] };
  return Number(groups[0]?.lag);
}

describe("produce, then consume", () => {
  it("gives lines back byte for byte, whatever is in them", async () => {
    const input = Buffer.from("one\r\n\n\u0000 grüße 日本 \u001b[31m\n\xff\xfe\n", "latin1");

    const produced = await tidemark(["produce", "text", "--dir", dir], { input });
    const consumed = await tidemark(["consume", "text", "--dir", dir]);

    expect(produced.stdout).toMatch(/^acked 4 messages on text, ids \d+ to \d+\n$/);
    expect(consumed.bytes.equals(input)).toBe(true);
  });

  it("gives one message of any bytes back with --format bytes", async () => {
    const input = randomBytes(3_000_000);

    await done(["produce", "raw", "--format", "bytes", "--dir", dir], { input });
    const consumed = await tidemark(["consume", "raw", "--format", "bytes", "--dir", dir]);

    expect(digest(consumed.bytes)).toBe(digest(input));
  });

  it("reads a file that is larger than any buffer, and its last line without a line feed", async () => {
    const path = join(folder, "large.txt");
    const lines = Array.from({ length: 60_000 }, (_, n) => `${n} ${"x".repeat(n % 200)}`).join("\n");
    writeFileSync(path, lines);
    await done(["channel", "create", "large", "--dir", dir]);

    const produced = await tidemark(["produce", "large", "--file", path, "--batch", "777", "--json", "--dir", dir]);
    const consumed = await tidemark(["consume", "large", "--dir", dir]);

    expect(JSON.parse(produced.stdout)).toMatchObject({ channel: "large", messages: 60_000 });
    expect(digest(consumed.bytes)).toBe(digest(Buffer.from(`${lines}\n`)));
  });

  it("takes with --format ndjson what consume has printed, properties and binary payloads too", async () => {
    const input = '{"payload":"a\\nb","properties":{"k":"v"}}\n{"payloadBase64":"/wA="}\n{"payload":""}\n';
    await done(["produce", "json", "--format", "ndjson", "--dir", dir], { input });
    const first = await tidemark(["consume", "json", "--format", "ndjson", "--dir", dir]);
    await done(["channel", "create", "copy", "--dir", dir]);

    await done(["produce", "copy", "--format", "ndjson", "--dir", dir], { input: first.stdout });
    const second = await tidemark(["consume", "copy", "--json", "--dir", dir]);

    const withoutIds = (text: string): unknown[] =>
      text
        .trimEnd()
        .split("\n")
        .map((line) => ({ ...(JSON.parse(line) as object), id: 0, time: 0 }));
    expect(withoutIds(second.stdout)).toEqual(withoutIds(first.stdout));
    expect(withoutIds(first.stdout)).toHaveLength(3);
  });

  it("acknowledges an empty input as nothing", async () => {
    expect(await tidemark(["produce", "text", "--dir", dir])).toMatchObject({ code: 0, stdout: "acked 0 messages on text\n", stderr: "" });
  });

  it("goes on at the cursor of a group, and ends at the channel's end", async () => {
    const first = await tidemark(["consume", "many", "--group", "readers", "--max", "3", "--dir", dir]);
    const second = await tidemark(["consume", "many", "--group", "readers", "--max", "1", "--dir", dir]);
    const rest = await tidemark(["consume", "many", "--group", "readers", "--dir", dir]);
    const nothing = await tidemark(["consume", "many", "--group", "readers", "--dir", dir]);
    const again = await tidemark(["consume", "many", "--group", "readers", "--from", "earliest", "--max", "1", "--dir", dir]);

    expect(first.stdout).toBe("message 0\nmessage 1\nmessage 2\n");
    expect(second.stdout).toBe("message 3\n");
    expect(rest.stdout.split("\n").slice(0, 1)).toEqual(["message 4"]);
    expect(rest.stdout.endsWith("message 199999\n")).toBe(true);
    expect(nothing).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect(again.stdout).toBe("message 0\n");
  });
});

describe("a pipe whose reader goes", () => {
  it("ends consume quietly, and with a group leaves unread what the pipe did not take", async () => {
    await done(["group", "create", "heads", "--from", "earliest", "--dir", dir]);
    const script = `"${process.execPath}" "${main}" consume many --group heads --dir "${dir}" | head -n 1; echo "\${PIPESTATUS[0]}"`;

    const { stdout, stderr } = spawnSync("bash", ["-c", script], { encoding: "utf8" });

    expect(stdout).toBe("message 0\n0\n");
    expect(stderr).toBe("");
    const { groups } = JSON.parse((await tidemark(["channel", "describe", "many", "--json", "--dir", dir])).stdout) as {
      groups: { group: string; lag: string }[];
    };
    expect(Number(groups.find(({ group }) => group === "heads")?.lag)).toBeGreaterThan(100_000);
  });

  it("does not matter to a command that has ended", () => {
    const script = `"${process.execPath}" "${main}" --help | true; echo "\${PIPESTATUS[0]}"`;

    expect(spawnSync("bash", ["-c", script], { encoding: "utf8" })).toMatchObject({ stdout: "0\n", stderr: "" });
  });
});

describe("an interrupt", () => {
  it("ends consume --follow with 130, after a clean close, with what was printed acknowledged", async () => {
    await done(["produce", "tail", "--dir", dir], { input: "a\nb\n" });
    const following = start(["consume", "tail", "--group", "readers", "--follow", "--dir", dir]);
    await once(following.stdout, "data");
    const beside = await tidemark(["channel", "create", "new", "--dir", dir]);

    following.kill("SIGINT");
    const end = await ended(following);

    expect(beside).toMatchObject({ code: 1, stdout: "" });
    expect(beside.stderr).toMatch(new RegExp(`^tidemark channel create: [^\\n]*held by process ${following.pid} [^\\n]*\\n$`));
    expect(end).toMatchObject({ code: 130, stderr: "" });
    expect(await lag("tail")).toBe(0);
    expect((await tidemark(["inspect", dir])).stdout).toContain("closed    cleanly");
  });

  it("does not wait for a reader that has stopped reading", async () => {
    const stuck = start(["consume", "many", "--from", "earliest", "--dir", dir]);
    await once(stuck.stdout, "readable");

    stuck.kill("SIGINT");
    const [code] = (await once(stuck, "exit")) as [number | null];
    stuck.stdout.destroy();

    expect(code).toBe(130);
  });

  it("ends a produce that waits for input, and says what was acked", async () => {
    // Its lock file shows that it is there.
    const locked = new Promise<void>((resolve) => {
      const watcher = watch(join(dir, "queue"), (_event, name) => {
        if (!existsSync(join(dir, "queue", name ?? "")) || !String(name).startsWith("lock")) return;
        watcher.close();
        resolve();
      });
    });
    const waiting = start(["produce", "slow", "--dir", dir]);
    await locked;

    waiting.kill("SIGINT");
    const end = await ended(waiting);

    expect(end.code).toBe(130);
    expect(end.stdout).toBe("");
    expect(end.stderr).toBe("interrupted: acked 0 messages on slow\n");
  });
});

describe("a disk that takes nothing more", () => {
  it("is one sentence and exit code 1 when stdout is on it", () => {
    mkdirSync(join(folder, "full"), { recursive: true });
    const full = openSync("/dev/full", "w");
    try {
      const { status, stderr } = spawnSync(process.execPath, [main, "consume", "many", "--dir", dir], {
        stdio: ["ignore", full, "pipe"],
        encoding: "utf8",
      });

      expect(status).toBe(1);
      expect(stderr).toMatch(/^tidemark consume: can't write to standard output: no space left[^\n]*\n$/);
    } finally {
      closeSync(full);
    }
  });
});

describe("the version", () => {
  it("is the package's", async () => {
    const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { version: string };

    expect((await tidemark(["--version"])).stdout).toBe(`${manifest.version}\n`);
  });
});
