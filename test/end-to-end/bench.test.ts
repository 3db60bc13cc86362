import { once } from "node:events";
import { readdirSync, watch } from "node:fs";
import { describe, expect, it } from "vitest";
import { ended, scratchFolder, start, tidemark } from "./program.js";

interface Report {
  readonly claims: readonly {
    readonly name: string;
    readonly figures: readonly { readonly what: string; readonly thread?: { readonly rounds: number[] } }[];
  }[];
}

/** Empty before and after each of them. */
const dir = scratchFolder();

describe("tidemark bench", () => {
  it("prints its figures as JSON, only the rows asked for, and leaves nothing on the disk", async () => {
    const { code, stdout, stderr } = await tidemark(["bench", "--quick", "--only", "bytes-written,wake-up", "--json", "--dir", dir]);

    expect([code, stderr]).toEqual([0, ""]);
    const { claims } = JSON.parse(stdout) as Report;
    expect(claims.map(({ name }) => name)).toEqual(["wake-up", "bytes-written"]);
    for (const { figures } of claims) expect(figures.every(({ thread }) => thread === undefined || thread.rounds.length > 0)).toBe(true);
    expect(readdirSync(dir)).toEqual([]);
  });

  it("ends by an interrupt, and leaves nothing on the disk then either", async () => {
    const watcher = watch(dir);
    const child = start(["bench", "--quick", "--only", "reopen", "--dir", dir]);
    const end = ended(child);

    await once(watcher, "change");
    child.kill("SIGINT");

    expect(await end).toMatchObject({ code: 130, stdout: "" });
    watcher.close();
    expect(readdirSync(dir)).toEqual([]);
  });

  it.each([
    [["--only", "nothing"], "--only is one-producer, "],
    [["--quick", "--full"], "don't go together"],
    [["--dir", "/nowhere/at/all"], "check the path"],
  ])("refuses %j", async (args, text) => {
    const { code, stdout, stderr } = await tidemark(["bench", ...args]);

    expect([code, stdout]).toEqual([args[0] === "--dir" ? 1 : 2, ""]);
    expect(stderr).toContain(text);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});
