import { describe, expect, it } from "vitest";
import { silentLogger } from "../../base/logger.js";
import { noMetrics } from "../../base/metrics.js";
import { NodeVfs } from "../../base/node-vfs.js";
import type { VfsFile, VfsLock } from "../../base/vfs.js";
import type { Fault } from "../../testing/index.js";
import { MemoryVfs } from "../../testing/memory-vfs.js";
import { newDirectory } from "../../../test/segment/disk-directories.js";
import { dir, filesOf, openOn, pass, pathOf } from "../../../test/segment/segment-store.js";
import { engineConformance } from "../conformance/index.js";
import { InlineLogWriter } from "./log-writer.js";
import { openSegmentEngine } from "./segment-engine.js";

const quiet = { prefill: "auto", metrics: noMetrics, logger: silentLogger } as const;

const memory = new MemoryVfs();
let made = 0;

engineConformance({
  name: "segment, in memory",
  persists: true,
  open: (options) => openSegmentEngine({ ...options, ...quiet, vfs: memory }),
  dir: () => `/store-${++made}`,
});

engineConformance({
  name: "segment, on the disk, written inline",
  persists: true,
  open: (options) => openSegmentEngine({ ...options, ...quiet, vfs: new NodeVfs() }, (vfs, dir) => new InlineLogWriter(vfs, dir)),
  dir: newDirectory,
  histories: 20,
});

/** Nobody but another user may listen here. */
class ForbiddenDisk extends MemoryVfs {
  override lock(path: string): Promise<VfsLock> {
    return Promise.reject(Object.assign(new Error(`listen EACCES: permission denied ${path}`), { code: "EACCES" }));
  }
}

/** A queue of the RocksDB engine comes, and is closed, just before the directory is locked. */
class OvertakenDisk extends MemoryVfs {
  override async lock(path: string): Promise<VfsLock> {
    for (const name of ["CURRENT", "MANIFEST-000001"]) this.setFileBytes(pathOf(name), new Uint8Array(1));
    return super.lock(path);
  }
}

/** Says of some files that their last bytes were lost, when they are closed. */
class CarelessDisk extends MemoryVfs {
  readonly #careless: RegExp;
  /** Files that are open. */
  readonly held: string[] = [];

  constructor(careless: RegExp) {
    super();
    this.#careless = careless;
  }

  override async open(...[path, mode]: Parameters<MemoryVfs["open"]>): Promise<VfsFile> {
    const file = await super.open(path, mode);
    this.held.push(path);
    const close = file.close.bind(file);
    file.close = async () => {
      this.held.splice(this.held.indexOf(path), 1);
      await close();
      if (mode !== "read" && this.#careless.test(path)) throw Object.assign(new Error(`EIO: i/o error, close ${path}`), { code: "EIO" });
    };
    return file;
  }
}

describe("a store that can't be opened", () => {
  it.each<[code: string, op: Fault["op"], how: Fault["code"]]>([
    ["io-failed", "syncDir", "EIO"],
    ["io-failed", "list", "EIO"],
    ["io-failed", "open", "EIO"],
    ["disk-full", "open", "ENOSPC"],
    ["disk-full", "write", "ENOSPC"],
    ["io-failed", "write", "EIO"],
    ["io-failed", "sync", "ENOSPC"],
    ["io-failed", "rename", "EIO"],
  ])("is %s when a new one's %s fails with %s, and lets go of the directory", async (code, op, how) => {
    const disk = new MemoryVfs();
    const fault = disk.failNext({ op, code: how });

    await expect(openOn(disk)).rejects.toMatchObject({ code, effect: "none" });

    expect(fault.fired()).toBe(true);
    await openOn(disk);
  });

  it("is io-failed when the system does not let its directory be locked", async () => {
    await expect(openOn(new ForbiddenDisk())).rejects.toMatchObject({ code: "io-failed", cause: { code: "EACCES" } });
  });
});

describe("a directory that another engine takes before it is locked", () => {
  it("is refused, nothing is written there, and the lock is let go", async () => {
    const disk = new OvertakenDisk();

    await expect(openOn(disk)).rejects.toMatchObject({ code: "invalid-argument", details: { argument: "dir" } });

    expect(filesOf(disk)).toEqual(["CURRENT", "MANIFEST-000001"]);
    await (await disk.lock(dir)).release();
  });
});

describe("a store that can't close one of its files", () => {
  it.each([
    ["its mark", /mark$/, "mark"],
    ["its log", /\.seg$/, ".seg"],
    ["either", /mark$|\.seg$/, "mark"],
  ])("says so of the first, closes all others, and lets go of the directory: %s", async (_, careless, first) => {
    const disk = new CarelessDisk(careless);
    const store = await openOn(disk);
    await store.create("a");
    await pass(store, 100);
    await store.append("a", "x");
    await store.texts("a");

    await expect(store.close()).rejects.toMatchObject({ code: "io-failed", message: expect.stringContaining(first) as string });

    expect(disk.held).toEqual([]);
    await openOn(disk);
  });

  it("closes its log also when the segment that was made ahead can't be removed", async () => {
    const disk = new CarelessDisk(/nothing/);
    const store = await openOn(disk, { prefill: "always" });
    await store.create("a");
    await pass(store, 100);
    const fault = disk.failNext({ op: "unlink", code: "EIO", path: /\.seg$/ });

    await expect(store.close()).rejects.toMatchObject({ code: "io-failed" });

    expect(fault.fired()).toBe(true);
    expect(disk.held).toEqual([]);
    await openOn(disk);
  });
});
