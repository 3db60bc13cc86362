import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NodeVfs } from "../../src/base/node-vfs.js";
import { LockContender } from "./lock-contender.js";
import { runLockRounds } from "./lock-rounds.js";

describe("the directory lock among processes", () => {
  const disk = new NodeVfs();
  let dir: string;
  let contenders: LockContender[];
  const contender = (options?: { once: boolean }): LockContender => {
    const one = new LockContender(dir, options);
    contenders.push(one);
    return one;
  };

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "tidemark-lock-"));
    contenders = [];
  });
  afterEach(async () => {
    await Promise.all(contenders.map((one) => one.kill()));
    rmSync(dir, { recursive: true });
  });

  it("names the process that holds it, and is free at once when that is killed", async () => {
    const holder = contender();
    expect(await holder.try()).toBe("held");
    await expect(disk.lock(dir)).rejects.toMatchObject({ code: "locked", details: { pid: holder.pid } });

    await holder.kill();

    expect(readdirSync(dir).sort()).toEqual(["lock.1", "lock.json"]);
    expect(await disk.lockHolder(dir)).toBeUndefined();
    const lock = await disk.lock(dir);
    expect(readdirSync(dir).sort()).toEqual(["lock.2", "lock.json"]);
    await lock.release();
  });

  it("stays with a holder that is stopped, however many knock", async () => {
    const holder = contender();
    expect(await holder.try()).toBe("held");
    holder.signal("SIGSTOP");

    // More than the kernel queues for a listener that does not come to its door (511).
    for (let knock = 0; knock < 600; knock++) expect(await disk.lockHolder(dir)).toBe(holder.pid);
    await expect(disk.lock(dir)).rejects.toMatchObject({ code: "locked", details: { pid: holder.pid } });
    holder.signal("SIGCONT");
    await holder.release();

    expect(await disk.lockHolder(dir)).toBeUndefined();
  });

  it("does not hold a process that has nothing else to do, and is free after it", async () => {
    const holder = contender({ once: true });
    expect(await holder.answer()).toBe("held");

    expect(await holder.gone).toBe(0);

    const lock = await disk.lock(dir);
    await lock.release();
  });

  it("goes to exactly one of many, whoever is killed in the middle of it", async () => {
    const report = await runLockRounds({ rounds: 20, contenders: 4, seed: Number(process.env["SEED"] ?? 1) });

    expect(report).toMatchObject({ broken: [], left: ["lock.json"] });
    expect(report.taken).toBeGreaterThan(10);
    expect(report.turnedAway).toBeGreaterThan(20);
    // The faults must have happened, or this has shown nothing.
    expect(report.killedWhileTrying).toBeGreaterThan(1);
    expect(report.killedAfterwards).toBeGreaterThan(1);
  });
});
