import { describe, expect, it } from "vitest";
import type { VfsFile } from "../../base/vfs.js";
import { MemoryVfs } from "../../testing/memory-vfs.js";
import { dir, pathOf } from "../../../test/segment/segment-store.js";
import { readFile, readStart } from "./read-file.js";

const sectorBytes = 4096;

/** A disk that can't read some sectors of any file, and asks for no others. */
class BadSectors extends MemoryVfs {
  readonly #bad: ReadonlySet<number>;

  constructor(...bad: number[]) {
    super();
    this.#bad = new Set(bad);
  }

  override async open(path: string, mode: "read" | "write" | "create"): Promise<VfsFile> {
    const file = await super.open(path, mode);
    const read = async (into: Uint8Array, offset: number): Promise<number> => {
      for (let at = offset; at < offset + into.length; at += sectorBytes) {
        if (this.#bad.has(Math.floor(at / sectorBytes))) throw Object.assign(new Error("EIO: i/o error, read"), { code: "EIO" });
      }
      return file.read(into, offset);
    };
    return new Proxy(file, { get: (target, key: keyof VfsFile) => (key === "read" ? read : bound(target, key)) });
  }
}

function bound(file: VfsFile, key: keyof VfsFile): unknown {
  const member = file[key];
  return typeof member === "function" ? member.bind(file) : member;
}

describe("reading a file", () => {
  it("gives all of its bytes, or undefined when there is none", async () => {
    const disk = new MemoryVfs();
    disk.setFileBytes(pathOf("file"), Buffer.from("all of it"));

    expect((await readFile(disk, pathOf("file")))?.toString()).toBe("all of it");
    expect((await readStart(disk, pathOf("file"), 3))?.toString()).toBe("all");
    expect((await readStart(disk, pathOf("file"), 99))?.toString()).toBe("all of it");
    expect(await readFile(disk, pathOf("none"))).toBeUndefined();
    expect(await readStart(disk, pathOf("none"), 3)).toBeUndefined();
  });

  it("gives zeros for sectors that the disk can't read, and everything else", async () => {
    const disk = new BadSectors(1, 3);
    const bytes = Buffer.alloc(3 * sectorBytes + 100, 7);
    disk.setFileBytes(pathOf("file"), bytes);

    const read = await readFile(disk, pathOf("file"));

    const expected = Buffer.from(bytes);
    expected.fill(0, sectorBytes, 2 * sectorBytes);
    expected.fill(0, 3 * sectorBytes);
    expect(read?.equals(expected)).toBe(true);
  });

  it("gives zeros for a start that can't be read", async () => {
    const disk = new BadSectors(0);
    disk.setFileBytes(pathOf("file"), Buffer.alloc(5000, 7));

    expect([...((await readStart(disk, pathOf("file"), 4)) ?? [])]).toEqual([0, 0, 0, 0]);
  });

  it("rejects with any other error", async () => {
    const disk = new MemoryVfs();
    disk.setFileBytes(pathOf("file"), Buffer.alloc(10));
    disk.failNext({ op: "read", code: "ENOSPC" });

    await expect(readFile(disk, `${dir}/file`)).rejects.toMatchObject({ code: "ENOSPC" });
  });
});
