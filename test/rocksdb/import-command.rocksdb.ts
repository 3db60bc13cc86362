/** `tidemark import`, as it is installed. */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { root } from "../layers/imports.js";
import { milvusVectors, unpack } from "./milvus-vectors.js";

const homes: string[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
});

function unpacked(archive: string): { readonly home: string; readonly from: string } {
  const vector = milvusVectors.find((one) => one.archive === archive);
  if (vector === undefined) throw new Error(`there is no archive ${archive}`);
  const found = unpack(vector);
  homes.push(found.home);
  return found;
}

function tidemark(
  home: string,
  ...args: readonly string[]
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const program = join(root, "test", "rocksdb", "node_modules", "tidemark", "dist", "cli", "main.js");
  return spawnSync(process.execPath, [program, ...args], { cwd: home, encoding: "utf8" });
}

it("imports all topics, and what was imported can be read", () => {
  const { home, from } = unpacked("rocksmq-clean");

  const imported = tidemark(home, "import", from, "--dir", "ours");

  expect(imported).toMatchObject({ status: 0, stdout: "imported 474 messages of 17 topics\n", stderr: "" });
  const listed = tidemark(home, "channel", "ls", "--dir", "ours");
  expect(listed.stdout).toMatch(/by-dev-rootcoord-dml_1 +102 /);
});

it("imports the topics that are named, and says what is missing of them", () => {
  const { home, from } = unpacked("rocksmq-rocksdb7.8.3-a");
  truncateSync(join(from, "000004.log"), 50_000);

  const imported = tidemark(home, "import", from, "--dir", "ours", "--topic", "raw", "--topic", "empty", "--json");

  expect(imported.status).toBe(0);
  expect(JSON.parse(imported.stdout)).toMatchObject({ topics: 2 });
  expect(imported.stderr).toMatch(/^warning: .*000004\.log ends in the middle of a record, at offset \d+ of 50000/);
});

it("of what is no RocksMQ directory, or of a topic that is not there, fails and leaves nothing that it made", () => {
  const { home, from } = unpacked("rocksmq-rocksdb6.17.3-c");
  mkdirSync(join(home, "there", "queue"), { recursive: true });
  writeFileSync(join(home, "there", "queue", ".note"), "somebody's");

  for (const [args, dir] of [[[home], "new"] as const, [[from, "--topic", "nowhere"], "new/er"] as const, [[home], "there"] as const]) {
    const failed = tidemark(home, "import", ...args, "--dir", dir);
    expect(failed.status).toBe(2);
    expect(failed.stderr).toMatch(/^tidemark import: /);
  }

  expect(existsSync(join(home, "new"))).toBe(false);
  expect(readdirSync(join(home, "there"))).toEqual(["queue"]);
  expect(readdirSync(join(home, "there", "queue"))).toEqual([".note"]);
});

it("the example reads the shards of a collection as one stream of packs, in time order", () => {
  const { home, from } = unpacked("rocksmq-clean");
  // From where `tidemark` is the installed one, with the peer beside it.
  const example = join(root, "test", "rocksdb", "node_modules", "tail-of-milvus.mjs");
  copyFileSync(join(root, "examples", "with-rocksdb", "tail-of-milvus.mjs"), example);

  const ran = spawnSync(process.execPath, [example, from, "by-dev-rootcoord-dml_0", "by-dev-rootcoord-dml_1"], {
    cwd: home,
    encoding: "utf8",
  });

  expect(ran).toMatchObject({ status: 0, stderr: "" });
  const lines = ran.stdout.trim().split("\n");
  expect(lines.every((line) => /^up to \d{4}-\d\d-\d\dT[\d:.]+Z: [a-zA-Z, ]+$/.test(line))).toBe(true);
  expect(lines.join("\n").match(/\binsert\b/g)?.length).toBeGreaterThan(1);
  expect(lines).toEqual([...lines].sort());
});

it("the commands say of a queue of this engine what it is, and what opens it", () => {
  const { home } = unpacked("rocksmq-rocksdb6.17.3-c");
  mkdirSync(join(home, "ours"));
  writeFileSync(join(home, "ours", "tidemark-rocksdb"), '{"format":1}\n');
  const commands = [
    ["channel", "ls"],
    ["channel", "describe", "c"],
    ["channel", "create", "c"],
    ["consume", "c"],
    ["produce", "c"],
    ["trim", "c", "--before", "1"],
  ];

  const said = commands.map((words) => tidemark(home, ...words, "--dir", "ours").stderr);
  said.push(tidemark(home, "inspect", "ours").stderr, tidemark(home, "salvage", "ours", "--to", "new").stderr);

  for (const text of said) expect(text).toContain("ours holds a queue of the RocksDB engine");
});
