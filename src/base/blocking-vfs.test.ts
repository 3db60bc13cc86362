import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BlockingVfs } from "./blocking-vfs.js";
import { NodeVfs } from "./node-vfs.js";

const disk = new BlockingVfs();
let dir: string;

beforeEach(() => {
  dir = fs.mkdtempSync(join(tmpdir(), "tidemark-blocking-"));
});
afterEach(() => fs.rmSync(dir, { recursive: true }));

describe("a file of BlockingVfs", () => {
  it("holds what was written, wherever and in how many parts", async () => {
    const path = join(dir, "file");
    const file = await disk.open(path, "create");

    await file.write([Buffer.from("three "), new Uint8Array(0), Buffer.from("parts")], 8);
    await file.write([Buffer.from("first")], 0);
    await file.sync();

    expect(fs.readFileSync(path, "latin1")).toBe("first\0\0\0three parts");
    await file.truncate(5);
    await file.close();
    expect(fs.readFileSync(path, "latin1")).toBe("first");
  });

  it("is made, or taken as it is, and never both", async () => {
    const path = join(dir, "file");

    await expect(disk.open(path, "write")).rejects.toMatchObject({ code: "ENOENT" });
    await (await disk.open(path, "create")).close();
    await expect(disk.open(path, "create")).rejects.toMatchObject({ code: "EEXIST" });
    const file = await disk.open(path, "write");
    await file.close();
    await disk.syncDirectory(dir);

    await expect(disk.syncDirectory(path)).rejects.toMatchObject({ code: "ENOTDIR" });
  });

  it("says that a full disk is full", async () => {
    const file = await disk.open("/dev/full", "write");

    await expect(file.write([Buffer.from("x")], 0)).rejects.toMatchObject({ code: "ENOSPC" });

    await file.close();
  });
});

describe.each([new BlockingVfs(), new NodeVfs()])("a write of %o", (vfs) => {
  it("may be larger than what the system takes at once", async () => {
    const file = await vfs.open("/dev/null", "write");

    // Never touched, so it costs no memory.
    const large = new Uint8Array(2 ** 31 + 16);
    await expect(file.write([large], 0)).resolves.toBeUndefined();

    await file.close();
  });
});
