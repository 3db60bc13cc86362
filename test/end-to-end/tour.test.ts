import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { widthOf } from "../../src/cli/cell.js";
import { scratchFolder, tidemark } from "./program.js";

const folder = scratchFolder();

describe("the tour, piped", () => {
  it("writes, reads, kills, finds every acked message, shrinks, and leaves a sound queue behind", { timeout: 120_000 }, async () => {
    const dir = join(folder, "tour");

    const { code, stdout, stderr } = await tidemark(["tour", "--dir", dir]);

    expect(stderr).toBe("");
    expect(code).toBe(0);
    // Each line once, plain, and no wider than a terminal.
    for (const control of ["\u001b", "\r"]) expect(stdout).not.toContain(control);
    expect(stdout.split("\n").filter((line) => widthOf(line) > 80)).toEqual([]);
    const heads = stdout.split("\n").filter((line) => /^\d {2}/.test(line));
    expect(heads.map((line) => line.slice(3, 9).trim())).toEqual(["Write", "Read", "Kill", "Shrink", "Join"]);

    const [, megabytes] = /messages, ([\d.]+) MB/.exec(stdout) ?? [];
    // On a machine that is busy with other things the step may break off, and says so.
    expect(Number(megabytes)).toBeGreaterThanOrEqual(stdout.includes("a slow disk: we stopped after") ? 5 : 20);
    expect(stdout).toMatch(/ack p50 [\d.]+ ms, p99 [\d.]+ m?s/);
    expect(stdout).toMatch(/bare write \+ fdatasync: [\d,]+ msg\/s \(we reach about \d+\.\d\d of it\)/);
    const [, acked, found] = /acked ([\d,]+) · found ([\d,]+) · lost 0 · ids repeated 0\n/.exec(stdout) ?? [];
    expect(acked).toMatch(/^\d\d,\d{3}$|^\d{3},\d{3}$/);
    expect(found).toBe(acked);
    const [, before, after] = /disk ([\d.]+) MB → ([\d.]+) MB in/.exec(stdout) ?? [];
    expect(Number(after)).toBeLessThan(Number(before) / 2);

    expect(stdout).toMatch(/every byte compared: lost 0 · twice 0 · out of their hour 0\n/);

    // What it tells to try next works as it stands.
    const next = [...stdout.matchAll(/^ {3}npx tidemark (.*)$/gm)].map(([, words = ""]) => words.trim().split(/ +/));
    expect(next.map(([first]) => first)).toEqual(["channel", "consume", "inspect"]);
    for (const words of next) expect(await tidemark(words)).toMatchObject({ code: 0, stderr: "" });
    expect(readdirSync(dir)).toEqual(["queue"]);
  });
});
