import { existsSync, mkdirSync, readdirSync, rmSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ended, scratchFolder, start, tidemark } from "./program.js";

const folder = scratchFolder();

/** Resolves when there is such a file. */
function appears(path: string, name: RegExp): Promise<string> {
  return new Promise((resolve) => {
    const look = (): string | undefined => (existsSync(path) ? readdirSync(path).find((one) => name.test(one)) : undefined);
    const watcher = watch(folder, { recursive: true }, () => {
      const found = look();
      if (found === undefined) return;
      watcher.close();
      resolve(join(path, found));
    });
  });
}

describe("torture", () => {
  it("kills a writer again and again, proves what it can, and leaves nothing", async () => {
    const dir = join(folder, "new", "place");

    const { code, stdout, stderr } = await tidemark(["torture", dir, "--seconds", "4"]);

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^kills +\d+ by SIGKILL/m);
    expect(Number(/^kills +(\d+)/m.exec(stdout)?.[1])).toBeGreaterThan(2);
    expect(stdout).toContain("Proved: over");
    expect(stdout).toContain("Not proved: that this disk keeps what it says it has synced.");
    expect(existsSync(join(folder, "new"))).toBe(false);
  });

  it("tells its figures as JSON, and leaves a folder that was there empty", async () => {
    const dir = join(folder, "empty");
    mkdirSync(dir);

    const { code, stdout } = await tidemark(["torture", dir, "--seconds", "1", "--json"]);

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ folder: dir, problems: [], kills: expect.any(Number) as number });
    expect(readdirSync(dir)).toEqual([]);
  });

  it("ends by an interrupt with 130, its writer too, and leaves nothing", async () => {
    const dir = join(folder, "interrupted");
    const record = appears(dir, /^acks-1\.log$/);
    const child = start(["torture", dir, "--seconds", "1000"]);
    const end = ended(child);
    await record;

    child.kill("SIGINT");

    expect(await end).toMatchObject({ code: 130, stdout: "", stderr: "" });
    expect(existsSync(dir)).toBe(false);
  });

  it("ends with 1 and keeps everything when a promise was broken", async () => {
    const dir = join(folder, "broken");
    // From the second round on, segments go as soon as they come. A writer that is killed while it opens leaves no record of its round.
    const watcher = watch(folder, { recursive: true }, () => {
      if (!existsSync(dir) || !readdirSync(dir).some((name) => /^acks-(?!1\.)\d+\.log$/.test(name))) return;
      for (const name of readdirSync(join(dir, "queue"))) if (name.endsWith(".seg")) rmSync(join(dir, "queue", name), { force: true });
    });

    const { code, stderr } = await tidemark(["torture", dir, "--seconds", "60"]);

    watcher.close();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^tidemark torture: [^\n]*kept in [^\n]*broken[^\n]*\n$/);
    expect(readdirSync(dir)).toEqual(expect.arrayContaining(["queue", "acks-1.log"]));
  });

  it("refuses a folder that is in use, and a time that is none", async () => {
    const dir = join(folder, "full");
    mkdirSync(dir);
    writeFileSync(join(dir, "something"), "");

    for (const [args, text] of [
      [[dir, "--seconds", "1"], "is not empty"],
      [[join(dir, "something"), "--seconds", "1"], "is a file"],
      [[join(folder, "x")], "--seconds is missing"],
      [[join(folder, "x"), "--seconds", "soon"], "--seconds is a whole number"],
      [["--seconds", "1"], "<dir> is missing"],
    ] as const) {
      const end = await tidemark(["torture", ...args]);
      expect(end).toMatchObject({ code: 2, stdout: "" });
      expect(end.stderr).toContain(text);
    }
    expect(readdirSync(dir)).toEqual(["something"]);
  });
});
