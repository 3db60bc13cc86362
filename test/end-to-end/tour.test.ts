import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { widthOf } from "../../src/cli/cell.js";
import { root } from "../layers/imports.js";
import { ended, scratchFolder, start, tidemark } from "./program.js";

const folder = scratchFolder();

describe("the tour, piped", () => {
  it("writes, reads, kills, finds every acked message, shrinks, and leaves a sound queue behind", { timeout: 120_000 }, async () => {
    const dir = join(folder, "tour");

    const { code, stdout, stderr } = await tidemark(["tour", "--dir", dir]);

    expect(stderr).toBe("");
    expect(code).toBe(0);
    // Each line once, plain, and no wider than a page.
    for (const control of ["\u001b", "\r"]) expect(stdout).not.toContain(control);
    expect(stdout.split("\n").filter((line) => widthOf(line) > 100)).toEqual([]);
    const heads = stdout.split("\n").filter((line) => /^\d {2}/.test(line));
    expect(heads.map((line) => line.slice(3, 9).trim())).toEqual(["Write", "Read", "Kill", "Shrink"]);

    const [, megabytes] = /messages, ([\d.]+) MB/.exec(stdout) ?? [];
    expect(Number(megabytes)).toBeGreaterThanOrEqual(20);
    expect(stdout).toMatch(/ack p50 [\d.]+ ms, p99 [\d.]+ m?s/);
    expect(stdout).toMatch(/bare write \+ fdatasync: [\d,]+ msg\/s \(we reach \d+\.\d\d of it\)/);
    const [, acked, found] = /acked ([\d,]+) · found ([\d,]+) · lost 0 · ids repeated 0\n/.exec(stdout) ?? [];
    expect(acked).toMatch(/^\d\d,\d{3}$|^\d{3},\d{3}$/);
    expect(found).toBe(acked);
    const [, before, after] = /disk ([\d.]+) MB → ([\d.]+) MB in/.exec(stdout) ?? [];
    expect(Number(after)).toBeLessThan(Number(before) / 2);

    // What it tells to try next works as it stands.
    const next = [...stdout.matchAll(/^ {3}npx tidemark (.*)$/gm)].map(([, words = ""]) => words.trim().split(/ +/));
    expect(next.map(([first]) => first)).toEqual(["channel", "consume", "inspect"]);
    for (const words of next) expect(await tidemark(words)).toMatchObject({ code: 0, stderr: "" });
    expect(readdirSync(dir)).toEqual(["queue"]);
  });

  it("ends with 130 when interrupted, names nothing as lost, and leaves no writer behind", { timeout: 120_000 }, async () => {
    const tour = start(["tour", "--dir", join(folder, "interrupted")]);
    let said = "";
    const killStep = new Promise<number>((resolve) => {
      tour.stdout.on("data", (chunk: Buffer) => {
        said += chunk.toString();
        const pid = /process \(pid (\d+)\)/.exec(said)?.[1];
        if (pid !== undefined) resolve(Number(pid));
      });
    });
    const end = ended(tour);
    const writer = await killStep;

    tour.kill("SIGINT");

    expect(await end).toMatchObject({ code: 130, stderr: "" });
    expect(said).not.toContain("lost");
    expect(() => process.kill(writer, 0)).toThrow("ESRCH");
  });
});

/** util-linux has it; without it there is no terminal to show. */
const hasScript = existsSync("/usr/bin/script");

describe("the tour on a terminal", () => {
  it.runIf(hasScript)("redraws, keeps to the terminal's width, and takes its redrawn lines away", { timeout: 120_000 }, async () => {
    const dir = join(folder, "terminal");
    const command = `stty cols 80 rows 24; "${process.execPath}" "${root}dist/cli/main.js" tour --dir "${dir}"`;

    const shown = spawn("script", ["-qec", command, "/dev/null"], { env: { ...process.env, TERM: "xterm", NO_COLOR: "1" } });
    const { code, stdout } = await ended(shown);

    expect(code).toBe(0);
    // Redrawn, without colour: NO_COLOR is set.
    expect(stdout).toContain("\u001b[3A\r\u001b[J");
    for (const style of [0, 1, 2, 31, 32]) expect(stdout).not.toContain(`\u001b[${style}m`);
    const drawn = stdout.split(/\r?\n/).map((line) => stripVTControlCharacters(line).replaceAll("\r", ""));
    // Paths are never cut: whoever copies one must get all of it.
    expect(drawn.filter((line) => !line.includes(dir) && widthOf(line) > 80)).toEqual([]);
    expect(linesLeft(stdout).filter((line) => /^ {3}ATL/.test(line))).toHaveLength(1);
    expect(linesLeft(stdout).filter((line) => /lost 0/.test(line))).toHaveLength(1);
  });
});

/** What stands there when all is drawn, on a terminal that knows "up by n lines and erase from here on" and nothing else. */
function linesLeft(output: string): string[] {
  const lines: string[] = [""];
  for (const [at, part] of output.replaceAll("\r", "").split("\u001b[").entries()) {
    const up = at === 0 ? undefined : /^(\d+)A$/.exec(part)?.[1];
    if (up !== undefined) lines.splice(lines.length - 1 - Number(up), Infinity, "");
    const text = at === 0 ? part : part.replace(/^\d*[A-Z]/, "");
    const [first = "", ...rest] = text.split("\n");
    lines.push((lines.pop() ?? "") + first, ...rest);
  }
  return lines;
}
