import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { root } from "../layers/imports.js";
import { done, ended, scratchFolder, tidemark } from "./program.js";

const folder = scratchFolder();
const dir = join(folder, "data");

async function run(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await tidemark([...args, "--dir", dir]);
  expect(stderr).toBe("");
  expect(code).toBe(0);
  return stdout;
}

async function jsonOf<T>(...args: string[]): Promise<T> {
  return JSON.parse(await run(...args, "--json")) as T;
}

interface Described {
  readonly name: string;
  readonly beginId: string;
  readonly endId: string;
  readonly messages: string;
  readonly groups: readonly { readonly group: string; readonly currentId: string; readonly lag: string }[];
}

describe("channels and groups on the command line", () => {
  it("live through create, produce, seek, trim and destroy, each command in a process of its own", async () => {
    await run("channel", "create", "orders");
    await run("group", "create", "billing");
    await done(["produce", "orders", "--dir", dir], { input: "a\nb\nc\nd\n" });
    expect(await run("consume", "orders", "--group", "billing", "--max", "1")).toBe("a\n");

    const before = await jsonOf<Described>("channel", "describe", "orders");
    expect(before).toMatchObject({ name: "orders", messages: "4", groups: [{ group: "billing", lag: "3" }] });

    const third = String(BigInt(before.beginId) + 2n);
    await run("group", "seek", "billing", "orders", third);
    expect(await run("trim", "orders", "--before", third)).toMatch(/removed 2 messages, .*2 messages left\n$/);
    expect(await run("consume", "orders")).toBe("c\nd\n");
    expect(await run("consume", "orders", "--from", String(BigInt(third) + 1n))).toBe("d\n");
    expect(await run("consume", "orders", "--from", "latest")).toBe("");
    expect(await jsonOf("group", "ls")).toEqual([{ group: "billing", cursors: [{ channel: "orders", currentId: third, lag: "2" }] }]);

    await run("group", "destroy", "billing");
    expect(await run("channel", "destroy", "orders")).toBe("destroyed orders with 2 messages\n");
    expect(await jsonOf("channel", "ls")).toEqual([]);
    expect(await jsonOf("group", "ls")).toEqual([]);
  });

  it("give a channel its retention, and show it", async () => {
    await run("channel", "create", "kept", "--retention-age", "7d", "--retention-bytes", "1GiB");

    expect(await jsonOf("channel", "describe", "kept")).toMatchObject({ retention: { ageMs: 604_800_000, bytes: 1_073_741_824 } });
    expect(await run("channel", "describe", "kept")).toMatch(/keeps for +7 d\nkeeps at most +1\.1 GB\n/);
    expect(await run("channel", "ls")).toMatch(/KEEPS[^\n]*\nkept .*7 d, 1\.1 GB/);
    expect(await run("channel", "alter", "kept", "--retention-bytes", "none")).toBe("kept keeps 7 d\n");
    expect(await jsonOf("channel", "describe", "kept")).toMatchObject({ retention: { ageMs: 604_800_000 } });
    await run("channel", "destroy", "kept");
  });

  it("find the queue that a program keeps in D itself, and make none inside it", async () => {
    const own = join(folder, "own");
    await done(["channel", "create", "orders", "--dir", join(folder, "made")]);
    renameSync(join(folder, "made", "queue"), own);
    const at = ["--dir", own];

    expect(await done(["channel", "create", "more", ...at])).toBe("created more\n");
    await done(["produce", "orders", ...at], { input: "a\n" });

    expect(await done(["consume", "orders", ...at])).toBe("a\n");
    expect(await done(["inspect", own])).toMatch(/^orders .*\nmore /m);
    expect(readdirSync(own)).not.toContain("queue");
  });

  it("place a group by time: at the first message of that time or later, or at the end", async () => {
    await run("channel", "create", "times");
    await run("group", "create", "timed");
    await done(["produce", "times", "--dir", dir], { input: "a\n" });
    const { beginId, endId } = await jsonOf<Described>("channel", "describe", "times");

    expect(await run("group", "seek", "timed", "times", "1h")).toContain(`from id ${beginId} next`);
    expect(await run("group", "seek", "timed", "times", "2099-01-01")).toContain(`from id ${endId} next`);
    expect(await run("group", "seek", "timed", "times", "earliest")).toContain(`from id ${beginId} next`);
    expect(await run("group", "seek", "timed", "times", "latest")).toContain(`from id ${endId} next`);
  });

  it("start a group made with --from latest behind what is there, also at its first consume", async () => {
    await run("channel", "create", "late");
    await done(["produce", "late", "--dir", dir], { input: "old\n" });
    await run("group", "create", "newcomer", "--from", "latest");

    expect(await run("consume", "late", "--group", "newcomer")).toBe("");
    await done(["produce", "late", "--dir", dir], { input: "new\n" });
    expect(await run("consume", "late", "--group", "newcomer")).toBe("new\n");
  });

  it("make nothing twice, and say with --json what each has done", async () => {
    expect(await jsonOf("channel", "create", "told")).toEqual({ channel: "told", created: true });
    expect(await jsonOf("channel", "create", "told", "--if-not-exists")).toEqual({ channel: "told", created: false });
    expect(await jsonOf("group", "create", "teller")).toEqual({ group: "teller", created: true });
    expect(await run("group", "create", "teller", "--if-not-exists")).toBe("teller was there already\n");
    await done(["produce", "told", "--dir", dir], { input: "a\nb\n" });
    const { beginId, endId } = await jsonOf<Described>("channel", "describe", "told");
    const second = String(BigInt(beginId) + 1n);

    expect(await jsonOf("group", "seek", "teller", "told", second)).toEqual({ group: "teller", channel: "told", currentId: second });
    expect(await jsonOf("trim", "told", "--before", endId)).toMatchObject({
      channel: "told",
      beginId: endId,
      removed: { messages: "2" },
      left: { messages: "0" },
    });
    expect(await jsonOf("channel", "destroy", "told")).toEqual({ channel: "told", destroyed: true, messages: "0" });
    expect(await jsonOf("group", "destroy", "teller")).toEqual({ group: "teller", destroyed: true });
  });

  it("mark a group whose unread messages were trimmed, and none that has only nothing to read", async () => {
    for (const name of ["lost", "kept"]) await run("group", "create", name);
    await run("channel", "create", "cut");
    for (const name of ["lost", "kept"]) await run("group", "seek", name, "cut", "earliest");
    await done(["produce", "cut", "--dir", dir], { input: "a\nb\n" });
    const { endId } = await jsonOf<Described>("channel", "describe", "cut");
    await run("consume", "cut", "--group", "kept");
    await run("trim", "cut", "--before", endId);

    const table = await run("group", "ls");

    expect(table).toMatch(/^lost +cut +\d+ +trimmed, 0 left$/m);
    expect(table).toMatch(/^kept +cut +\d+ +0$/m);
    expect(await jsonOf("group", "ls")).toContainEqual({ group: "kept", cursors: [{ channel: "cut", currentId: endId, lag: "0" }] });
    for (const name of ["lost", "kept"]) await run("group", "destroy", name);
  });

  it("tell in a table for people what --json tells programs", async () => {
    await run("channel", "create", "über/".replace("/", ""));
    const names = (await jsonOf<Described[]>("channel", "ls")).map(({ name }) => name);
    const table = (await run("channel", "ls")).trimEnd().split("\n");

    expect(table[0]).toMatch(/^CHANNEL +MESSAGES +SIZE +KEEPS +GROUPS +LARGEST LAG +CREATED$/);
    expect(table.slice(1).map((line) => line.split(" ")[0])).toEqual(names);
    expect(table.join("")).not.toContain("\u001b");
    expect(await run("consume", "times", "--format", "table")).toMatch(/^ +ID {2}TIME +PAYLOAD\n +\d+ {2}\d{4}-\d\d-\d\dT[\d:.]+Z {2}a\n$/);
  });
});

describe("inspect", () => {
  const damaged = join(folder, "damaged");
  beforeAll(async () => {
    await done(["channel", "create", "orders", "--dir", damaged]);
    await done(["produce", "orders", "--dir", damaged], { input: Array.from({ length: 500 }, (_, n) => `order ${n}\n`).join("") });
  });

  it("tells of a sound store that it is sound, and writes nothing", async () => {
    const filesOf = (): string[] =>
      readdirSync(join(damaged, "queue")).map((name) => `${name} ${readFileSync(join(damaged, "queue", name)).toString("hex")}`);
    const before = filesOf();

    const { code, stdout } = await tidemark(["inspect", damaged, "--verify"]);
    const report = JSON.parse((await tidemark(["inspect", join(damaged, "queue"), "--json", "--channel", "orders"])).stdout) as object;

    expect(code).toBe(0);
    expect(stdout).toMatch(/orders +500 /);
    expect(stdout).toContain("sound: every byte of");
    expect(report).toMatchObject({ closedCleanly: true, problems: [], channels: [{ name: "orders", messages: "500" }] });
    expect(report).toHaveProperty("batches.0.firstId");
    expect(filesOf()).toEqual(before);
  });

  it("says of a store whose checkpoint is bad what is wrong, each place once, and not how it was closed", async () => {
    const broken = join(folder, "broken");
    await done(["channel", "create", "orders", "--dir", broken]);
    writeFileSync(join(broken, "queue", "checkpoint"), "nonsense");

    const { code, stdout } = await tidemark(["inspect", broken]);

    expect(code).toBe(1);
    expect(stdout).toMatch(/^closed +unknown$/m);
    expect(stdout).toMatch(/^bad: \S+\/checkpoint at offset 0: this is no checkpoint$/m);
    expect(JSON.parse((await tidemark(["inspect", broken, "--json"])).stdout)).toMatchObject({ term: null });
  });

  it("exits with 1 and names file and offset for a flipped bit", async () => {
    const segments = readdirSync(join(damaged, "queue")).filter((name) => name.endsWith(".seg"));
    const file = join(damaged, "queue", segments.at(-1) ?? "");
    const bytes = readFileSync(file);
    const at = bytes.indexOf("order 250");
    bytes.writeUInt8(bytes.readUInt8(at) ^ 4, at);
    writeFileSync(file, bytes);

    const { code, stdout, stderr } = await tidemark(["inspect", damaged, "--verify"]);
    const json = JSON.parse((await tidemark(["inspect", damaged, "--verify", "--json"])).stdout) as {
      problems: { file: string; offset: number }[];
    };

    expect(at).toBeGreaterThan(0);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^bad: .*\.seg at offset \d+: /m);
    expect(stderr).toMatch(/^tidemark inspect: 1 bad place in [^\n]*, the first in [^\n]*\.seg at offset \d+\n$/);
    expect(json.problems).toHaveLength(1);
    expect(json.problems[0]?.file).toBe(file);
    // The frame that holds the bit begins before it.
    expect(json.problems[0]?.offset).toBeLessThanOrEqual(at);
  });
});

/** util-linux has it; without it there is no terminal to show. */
const hasScript = existsSync("/usr/bin/script");

describe("tables on a terminal of 40 columns", () => {
  const narrow = join(folder, "narrow");
  const name = "a-channel-with-quite-a-long-name";

  beforeAll(async () => {
    await done(["channel", "create", name, "--retention-age", "7d", "--retention-bytes", "1GiB", "--dir", narrow]);
    await done(["produce", name, "--dir", narrow], { input: "a\nb\n" });
    await done(["group", "create", "g", "--dir", narrow]);
    await done(["consume", name, "--group", "g", "--dir", narrow]);
  });

  it.runIf(hasScript).each([
    ["channel ls", `channel ls --dir ${narrow}`, ["CHANNEL", "LARGEST LAG", "CREATED"]],
    ["channel describe", `channel describe ${name} --dir ${narrow}`, ["GROUP", "READS NEXT"]],
    ["group ls", `group ls --dir ${narrow}`, ["GROUP", "READS NEXT", "LAG"]],
    ["consume --format table", `consume ${name} --format table --dir ${narrow}`, ["ID"]],
    ["inspect", `inspect ${narrow} --channel ${name}`, ["BEGINS AT ID", "NEXT ID", "SEGMENT", "BATCHES", "LAST ID", "TIME"]],
    ["salvage", `salvage ${narrow} --to ${join(folder, "salvaged")}`, ["BEGINS AT ID", "NEXT ID"]],
  ])("have heads and rows that fit: %s", async (_, args, titles) => {
    const command = `stty cols 40 rows 24; "${process.execPath}" "${root}dist/cli/main.js" ${args}`;

    const { code, stdout } = await ended(spawn("script", ["-qec", command, "/dev/null"], { env: { ...process.env, TERM: "xterm" } }));

    expect(code).toBe(0);
    for (const title of titles) expect(stdout).toContain(title);
    // Beside tables there are sentences and paths, which are never cut.
    const rows = stdout.split(/\r?\n/).filter((line) => /^ *[A-Z]+(?: |$)|^ *\d|^  \S|^a-channel|^g |\u2026/.test(line));
    expect(rows.length).toBeGreaterThan(1);
    expect(rows.filter((line) => line.length > 40)).toEqual([]);
  });
});
