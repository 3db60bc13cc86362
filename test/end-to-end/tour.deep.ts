/** The tour's other ends: interrupted, unread, on a terminal. Each runs the whole tour, so they wait for the deep tier. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { widthOf } from "../../src/cli/cell.js";
import { root } from "../layers/imports.js";
import { ended, scratchFolder, start } from "./program.js";

const folder = scratchFolder();

describe("the tour, interrupted", () => {
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

describe("the tour whose reader goes", () => {
  it("ends quietly, and its writer does not write on without it", { timeout: 120_000 }, async () => {
    const dir = join(folder, "unread");
    const tour = start(["tour", "--dir", dir]);
    let said = "";
    tour.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      // What it says next is the head of step 3, with the writer already there.
      if (/^ {3}billing/m.test(said)) tour.stdout.destroy();
    });

    const [code] = (await once(tour, "exit")) as [number | null];

    expect(code).toBe(0);
    expect(processesWith(dir)).toEqual([]);
  });
});

/** The command lines of all processes that name `text`. */
function processesWith(text: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => readIfThere(`/proc/${pid}/cmdline`))
    .filter((line) => line.includes(text));
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // The process has ended meanwhile.
    return "";
  }
}

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
    // After the kill, and after the join.
    expect(linesLeft(stdout).filter((line) => /lost 0/.test(line))).toHaveLength(2);
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
