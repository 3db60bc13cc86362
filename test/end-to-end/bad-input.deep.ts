import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { done, scratchFolder, tidemark } from "./program.js";

const folder = scratchFolder();
const dir = join(folder, "data");

beforeAll(async () => {
  await done(["channel", "create", "orders", "--dir", dir]);
  await done(["group", "create", "billing", "--dir", dir]);
  await done(["produce", "orders", "--dir", dir], { input: "one\ntwo\n" });
  mkdirSync(join(folder, "full"));
  writeFileSync(join(folder, "full", "something"), "");
});

interface Case {
  /** DIR stands for a queue with a channel "orders" of two messages, FULL for a folder with a file in it. */
  readonly line: string;
  readonly code: 1 | 2;
  /** A part of the one line on stderr. */
  readonly text: string;
  readonly input?: string | undefined;
}

const table: readonly Case[] = [
  { line: "", code: 2, text: "which command?" },
  { line: "frobnicate", code: 2, text: 'there is no command "frobnicate"' },
  { line: "--dir DIR channel ls", code: 2, text: "options come after the command" },
  { line: "serve", code: 2, text: '"serve" comes later' },
  { line: "channel", code: 2, text: "which one: create, alter, destroy, describe or ls?" },
  { line: "channel frobnicate", code: 2, text: '"frobnicate" is not create, alter, destroy, describe or ls' },
  { line: "channel create", code: 2, text: "<name> is missing" },
  { line: "channel create a b --dir DIR", code: 2, text: '"b" is one word too many' },
  { line: "channel create a/b --dir DIR", code: 2, text: '"a/b"' },
  { line: "channel create new --retention-age 7 --dir DIR", code: 2, text: "--retention-age is a number and a unit (ms, s, min, h, d, w)" },
  { line: "channel create new --retention-bytes much --dir DIR", code: 2, text: "--retention-bytes is a number and a unit" },
  { line: "channel create orders --dir DIR", code: 1, text: '"orders" is there already: with --if-not-exists' },
  { line: "channel describe nope --dir DIR", code: 1, text: '"nope"' },
  { line: "channel destroy nope --dir DIR", code: 1, text: 'there is no channel "nope": check the name' },
  { line: "channel ls --dir DIR/not-there", code: 1, text: "there is no queue in" },
  { line: "channel ls --dir DIR --frob", code: 2, text: "there is no option --frob" },
  { line: "channel ls --dir", code: 2, text: "--dir needs a value" },
  { line: "channel ls --dir DIR --dir DIR", code: 2, text: "--dir is given twice" },
  { line: "channel create a --dir /proc/nowhere", code: 1, text: "/proc/nowhere" },
  { line: "group create billing --dir DIR", code: 1, text: '"billing" is there already: with --if-not-exists' },
  { line: "group create new --from middle --dir DIR", code: 2, text: '--from is earliest or latest, not "middle"' },
  { line: "group destroy nope --dir DIR", code: 1, text: 'there is no consumer group "nope": check the name' },
  { line: "group seek billing orders --dir DIR", code: 2, text: "<place> is missing" },
  { line: "group seek billing orders soon --dir DIR", code: 2, text: "<place> is earliest, latest, an id or a time" },
  { line: "group seek billing orders 2026-02-31 --dir DIR", code: 2, text: "2026-02-31" },
  { line: "group seek billing orders 9223372036854775807 --dir DIR", code: 1, text: "9223372036854775807" },
  { line: "group seek billing orders 1 --dir DIR", code: 1, text: "1" },
  { line: "group seek nope orders earliest --dir DIR", code: 1, text: '"nope"' },
  { line: "group seek billing nope earliest --dir DIR", code: 1, text: '"nope"' },
  { line: "produce nope --dir DIR", code: 1, text: '"nope"' },
  { line: "produce orders --format xml --dir DIR", code: 2, text: '--format is lines, ndjson or bytes, not "xml"' },
  { line: "produce orders --batch 0 --dir DIR", code: 2, text: "--batch is a whole number from 1 to 100000" },
  { line: "produce orders --batch 1e3 --dir DIR", code: 2, text: "--batch is a whole number" },
  { line: "produce orders --file DIR/nope --dir DIR", code: 1, text: "there is no" },
  { line: "produce orders --file DIR --dir DIR", code: 1, text: "is a directory: name a file" },
  {
    line: "produce orders --format ndjson --dir DIR",
    code: 1,
    text: "line 2 of standard input is not JSON",
    input: '{"payload":"a"}\n}\n',
  },
  { line: "produce orders --format ndjson --dir DIR", code: 1, text: "needs one of payload and payloadBase64", input: "{}\n" },
  { line: "produce orders --format bytes --dir DIR", code: 1, text: "longer than 16777216 bytes", input: "x".repeat(16 * 1024 * 1024 + 1) },
  {
    line: "produce orders --dir DIR",
    code: 1,
    text: "line 1 of standard input is longer than 16777216 bytes",
    input: "x".repeat(16 * 1024 * 1024 + 1),
  },
  { line: "consume nope --dir DIR", code: 1, text: '"nope"' },
  { line: "consume orders --group nope --dir DIR", code: 1, text: '"nope"' },
  { line: "consume orders --format xml --dir DIR", code: 2, text: '--format is lines, ndjson, table, bytes or milvus, not "xml"' },
  { line: "consume orders --format table --json --dir DIR", code: 2, text: "--json is --format ndjson" },
  { line: "consume orders --max 0 --dir DIR", code: 2, text: "--max is a whole number" },
  { line: "consume orders --from 1 --dir DIR", code: 1, text: "1" },
  { line: "trim orders --dir DIR", code: 2, text: "--before is missing" },
  { line: "trim orders --before nope --dir DIR", code: 2, text: "--before is an id or a time (" },
  { line: "trim orders --before latest --dir DIR", code: 2, text: "--before is an id or a time" },
  { line: "trim orders --before 2099-01-01 --dir DIR", code: 2, text: "is in the future" },
  { line: "trim orders --before 9223372036854775807 --dir DIR", code: 1, text: "9223372036854775807" },
  { line: "trim nope --before 0s --dir DIR", code: 1, text: '"nope"' },
  { line: "inspect", code: 2, text: "<dir> is missing" },
  { line: "inspect DIR/not-there", code: 1, text: "there is no queue in" },
  { line: "inspect FULL", code: 1, text: "there is no queue in" },
  { line: "inspect FULL/something", code: 1, text: "is a file" },
  { line: "inspect DIR --channel nope", code: 1, text: 'there is no channel "nope"' },
  { line: "tour --dir FULL", code: 2, text: "is not empty" },
  { line: "tour --dir FULL/something", code: 2, text: "is a file" },
  { line: "tour --dir /proc/nowhere", code: 1, text: "/proc has 0 B free" },
];

describe("bad input", () => {
  it.each(table)("$line → exit code $code, one line that says: $text", async ({ line, code, text, input }) => {
    const words = line === "" ? [] : line.split(" ").map((word) => word.replace("DIR", dir).replace("FULL", join(folder, "full")));

    const end = await tidemark(words, { input, cwd: folder });

    expect(end.stdout).toBe("");
    expect(end.stderr).toMatch(/^tidemark[^\n]*: [^\n]+\n$/);
    expect(end.stderr).toContain(text);
    expect(end.code).toBe(code);
  });

  it("shows a stack only when asked for it", async () => {
    const quiet = await tidemark(["channel", "describe", "nope", "--dir", dir]);
    const verbose = await tidemark(["channel", "describe", "nope", "--dir", dir, "--verbose"]);

    expect(quiet.stderr).not.toContain(" at ");
    expect(verbose.stderr).toMatch(/\n +at /);
    expect(verbose.code).toBe(1);
  });

  it("says how much of the input is safe when a later part of it is bad", async () => {
    const end = await tidemark(["produce", "orders", "--format", "ndjson", "--batch", "1", "--dir", dir], {
      input: '{"payload":"a"}\nno\n',
    });

    expect(end.stderr).toMatch(/line 2 of standard input is not JSON.*acked 1 message on orders, ids \d+ to \d+/);
    expect((await tidemark(["consume", "orders", "--dir", dir])).stdout).toMatch(/a\n$/);
  });

  it("leaves no queue behind where a path was mistyped", async () => {
    await tidemark(["produce", "orders", "--dir", join(folder, "typo")], { input: "x\n" });
    const end = await tidemark(["channel", "ls", "--dir", join(folder, "typo")]);

    expect(end.stderr).toContain("there is no queue in");
  });

  it("makes no store among files of somebody else: not to read, and not to write", async () => {
    const foreign = join(folder, "foreign");
    const rocks = join(folder, "rocks");
    mkdirSync(join(foreign, "queue"), { recursive: true });
    writeFileSync(join(foreign, "queue", "precious.txt"), "");
    mkdirSync(rocks);
    for (const name of ["CURRENT", "MANIFEST-000004"]) writeFileSync(join(rocks, name), "");

    const read = await tidemark(["channel", "ls", "--dir", foreign]);
    const written = [
      await tidemark(["channel", "create", "c", "--dir", foreign]),
      await tidemark(["group", "create", "g", "--dir", foreign]),
      await tidemark(["channel", "create", "c", "--dir", rocks]),
    ];

    expect(read).toMatchObject({ code: 1, stderr: expect.stringContaining("there is no queue in") as string });
    expect(written.map(({ code }) => code)).toEqual([2, 2, 2]);
    expect(written.map(({ stderr }) => stderr).join("")).toMatch(/"precious\.txt"[^\n]*\n.*"precious\.txt"[^\n]*\n.*RocksDB/);
    expect([readdirSync(foreign), readdirSync(join(foreign, "queue")), readdirSync(rocks).length]).toEqual([
      ["queue"],
      ["precious.txt"],
      2,
    ]);
  });
});
