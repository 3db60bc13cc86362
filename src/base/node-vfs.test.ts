import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NodeVfs } from "./node-vfs.js";
import type { VfsFile } from "./vfs.js";

const disk = new NodeVfs();
let dir: string;

beforeEach(() => {
  dir = fs.mkdtempSync(join(tmpdir(), "tidemark-vfs-"));
});
afterEach(() => fs.rmSync(dir, { recursive: true }));

async function withFile<T>(use: (file: VfsFile) => Promise<T>, name = "file"): Promise<T> {
  const file = await disk.open(join(dir, name), "create");
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

async function contentOf(file: VfsFile): Promise<Buffer> {
  const bytes = Buffer.alloc(await file.size());
  await file.read(bytes, 0);
  return bytes;
}

describe("a file of NodeVfs", () => {
  it("reads back what any writes left, gaps as zeros", async () => {
    const parts = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 5 });
    const writes = fc.array(fc.record({ parts, offset: fc.nat(100) }), { maxLength: 8 });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(writes, async (all) => {
        await withFile(async (file) => {
          let model = Buffer.alloc(0);
          for (const write of all) {
            await file.write(write.parts, write.offset);
            model = overlaid(model, Buffer.concat(write.parts), write.offset);
          }
          expect(await contentOf(file)).toEqual(model);
        }, `file-${round++}`);
      }),
      { numRuns: 50 },
    );
  });

  it("writes more parts than the system takes at once", async () => {
    const parts = Array.from({ length: 3_000 }, (_, i) => Buffer.from([i & 0xff, i >> 8, 7]));

    const content = await withFile(async (file) => {
      await file.write(parts, 5);
      return contentOf(file);
    });

    expect(content).toEqual(Buffer.concat([Buffer.alloc(5), ...parts]));
  });

  it("reads fewer bytes only at the end of the file", async () => {
    await withFile(async (file) => {
      await file.write([Buffer.from("0123456789")], 0);
      const into = Buffer.alloc(8);

      expect(await file.read(into, 6)).toBe(4);
      expect(into.toString("latin1")).toBe("6789\0\0\0\0");
      expect(await file.read(into, 100)).toBe(0);
    });
  });

  it("can be cut, and made longer with zeros", async () => {
    await withFile(async (file) => {
      await file.write([Buffer.from("0123")], 0);

      await file.truncate(2);
      await file.truncate(4);
      await file.sync();

      expect((await contentOf(file)).toString("latin1")).toBe("01\0\0");
    });
  });

  it("closes once, when the calls under way are over, and refuses later ones", async () => {
    const file = await disk.open(join(dir, "file"), "create");
    const large = Buffer.alloc(1 << 20, 1);
    const over: string[] = [];
    const write = file.write([large, large], 0).then(() => over.push("write"));

    await Promise.all([file.close().then(() => over.push("close")), file.close(), write]);

    expect(over).toEqual(["write", "close"]);
    expect(fs.statSync(join(dir, "file")).size).toBe(2 << 20);
    await expect(file.write([large], 0)).rejects.toMatchObject({ code: "EBADF" });
    await expect(file.read(large, 0)).rejects.toMatchObject({ code: "EBADF" });
    await expect(file.sync()).rejects.toMatchObject({ code: "EBADF" });
  });

  it("is opened only in the way it may be", async () => {
    await withFile((file) => file.write([Buffer.from("abc")], 0));
    const path = join(dir, "file");

    await expect(disk.open(path, "create")).rejects.toMatchObject({ code: "EEXIST" });
    await expect(disk.open(join(dir, "none"), "read")).rejects.toMatchObject({ code: "ENOENT" });
    await expect(disk.open(join(dir, "none"), "write")).rejects.toMatchObject({ code: "ENOENT" });
    const reader = await disk.open(path, "read");
    await expect(reader.write([Buffer.from("x")], 0)).rejects.toMatchObject({ code: "EBADF" });
    expect((await contentOf(reader)).toString()).toBe("abc");
    await reader.close();
  });

  it("hands the system's errors up with their code", async () => {
    const full = await disk.open("/dev/full", "write");

    await expect(full.write([Buffer.from("x")], 0)).rejects.toMatchObject({ code: "ENOSPC", syscall: "write" });

    await full.close();
  });
});

function overlaid(under: Buffer, over: Buffer, offset: number): Buffer<ArrayBuffer> {
  if (over.length === 0) return Buffer.from(under);
  const all = Buffer.alloc(Math.max(under.length, offset + over.length));
  under.copy(all);
  over.copy(all, offset);
  return all;
}

describe("the names of NodeVfs", () => {
  it("makes a directory with all above it, and is content when it is there", async () => {
    const path = join(dir, "a/b/c");

    await disk.makeDirectory(path);
    await disk.makeDirectory(path);

    expect(await disk.list(join(dir, "a/b"))).toEqual(["c"]);
    await disk.syncDirectory(path);
  });

  it("makes a directory for several who want it at once", async () => {
    const path = join(dir, "a/b/c");

    await Promise.all([disk.makeDirectory(path), disk.makeDirectory(path), disk.makeDirectory(join(dir, "a/b"))]);

    expect(await disk.list(join(dir, "a/b"))).toEqual(["c"]);
  });

  it("makes no directory where a file stands, or below one", async () => {
    await withFile((file) => file.write([Buffer.from("x")], 0));

    await expect(disk.makeDirectory(join(dir, "file"))).rejects.toMatchObject({ code: "EEXIST" });
    await expect(disk.makeDirectory(join(dir, "file/below"))).rejects.toMatchObject({ code: "ENOTDIR" });
    await expect(disk.makeDirectory("")).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("renames over what is there, and unlinks", async () => {
    await withFile((file) => file.write([Buffer.from("new")], 0), "new");
    await withFile((file) => file.write([Buffer.from("old")], 0), "old");

    await disk.rename(join(dir, "new"), join(dir, "old"));
    expect(fs.readFileSync(join(dir, "old"), "utf8")).toBe("new");
    await disk.unlink(join(dir, "old"));

    expect(await disk.list(dir)).toEqual([]);
    await expect(disk.unlink(join(dir, "old"))).rejects.toMatchObject({ code: "ENOENT" });
    await expect(disk.list(join(dir, "none"))).rejects.toMatchObject({ code: "ENOENT" });
    await expect(disk.syncDirectory(join(dir, "none"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});

/** Says which directories are synced. */
class WatchedVfs extends NodeVfs {
  readonly synced: string[] = [];

  override syncDirectory(path: string): Promise<void> {
    this.synced.push(path);
    return super.syncDirectory(path);
  }
}

describe("a directory that NodeVfs makes", () => {
  it("is durable with those above it, each before the next is made", async () => {
    const watched = new WatchedVfs();

    await watched.makeDirectory(join(dir, "a/b"));

    expect(watched.synced).toEqual([join(dir, ".."), dir, join(dir, "a")]);
  });

  it("is durable also when an earlier process was killed after it had made it, and before it had synced it", async () => {
    const watched = new WatchedVfs();
    fs.mkdirSync(join(dir, "a"));

    await watched.makeDirectory(join(dir, "a"));

    expect(watched.synced).toEqual([dir]);
  });

  it("is durable also when an earlier process was killed so in the one above it", async () => {
    const watched = new WatchedVfs();
    fs.mkdirSync(join(dir, "a"));

    await watched.makeDirectory(join(dir, "a/b"));

    expect(watched.synced).toEqual([dir, join(dir, "a")]);
  });

  it("may stand in one that is not ours to sync, but for one that it makes itself", async () => {
    const watched = new WatchedVfs();
    watched.syncDirectory = (path) => Promise.reject(Object.assign(new Error(`no access to ${path}`), { code: "EACCES" }));
    fs.mkdirSync(join(dir, "ours"));

    await expect(watched.makeDirectory(join(dir, "ours"))).resolves.toBeUndefined();
    await expect(watched.makeDirectory(join(dir, "new"))).rejects.toMatchObject({ code: "EACCES" });
  });
});
