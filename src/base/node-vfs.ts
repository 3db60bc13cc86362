/**
 * The real disk. This is the only file under `src/` that talks to `node:fs`, the command line aside.
 *
 * It works on plain descriptors and the callback calls of `node:fs`, made into promises by hand: a few per cent cheaper for small writes with
 * a sync after each than `FileHandle` (bench/node-vfs.mjs), and a descriptor closes when we say so, not when it is collected.
 */
import * as fs from "node:fs";
import { dirname } from "node:path";
import { mostBytesAtOnce, withoutFirst } from "./byte-parts.js";
import { systemClock, type Clock } from "./clock.js";
import { holderOf, lockDirectory, type LockDirectory } from "./directory-lock.js";
import { lockByOpening, holderByOpening } from "./directory-lock-darwin.js";
import { TidemarkError } from "./errors.js";
import { networkFileSystem } from "./network-file-systems.js";
import { systemCode, systemError } from "./system-error.js";
import { vfs, type Vfs, type VfsFile, type VfsLock } from "./vfs.js";

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NONBLOCK, O_RDONLY, O_RDWR } = fs.constants;

const openFlags = { read: O_RDONLY, write: O_RDWR, create: O_RDWR | O_CREAT | O_EXCL } as const;

/** Linux refuses to take more parts in one call. */
const mostPartsAtOnce = 1_024;

/** What a directory says that others look after: not ours to open, on a read-only disk, or of a kind that knows no syncs. */
const notOurs: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EROFS", "EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** What a `NodeVfs` needs besides the disk: only its lock waits, and only its lock is random. */
export interface NodeVfsOptions {
  readonly clock?: Clock | undefined;
  /** In [0, 1), as `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** The file system of this machine. */
export class NodeVfs implements Vfs {
  readonly kind = "node";
  readonly [vfs] = true;
  readonly #clock: Clock;
  readonly #random: () => number;

  constructor(options: NodeVfsOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
  }

  /** Each directory is synced before the next is made, so after a kill only the deepest one that is there can be one that was not. */
  async makeDirectory(path: string): Promise<void> {
    const parent = dirname(path);
    let outcome = await makeOne(path);
    if (outcome === "there") return this.#syncFound(parent);
    if (outcome === "made") {
      await this.#syncFound(dirname(parent));
    } else {
      await this.makeDirectory(parent);
      outcome = await makeOne(path);
    }
    if (outcome === "no parent") throw systemError("ENOENT", `there is no directory to make it in, mkdir '${path}'`);
    await this.syncDirectory(parent);
  }

  /** Makes durable what a killed process may have made here; where we may not, none of ours was. */
  async #syncFound(path: string): Promise<void> {
    try {
      await this.syncDirectory(path);
    } catch (error) {
      if (!notOurs.has(systemCode(error) ?? "")) throw error;
    }
  }

  async list(path: string): Promise<string[]> {
    return ask((done) => fs.readdir(path, done));
  }

  async open(path: string, mode: "read" | "write" | "create"): Promise<VfsFile> {
    const fd = await ask<number>((done) => fs.open(path, openFlags[mode], done));
    return new NodeFile(path, fd);
  }

  async rename(from: string, to: string): Promise<void> {
    await act((done) => fs.rename(from, to, done));
  }

  async unlink(path: string): Promise<void> {
    await act((done) => fs.unlink(path, done));
  }

  async freeBytes(path: string): Promise<number> {
    const { bavail, bsize, blocks } = await ask<fs.StatsFs>((done) => fs.statfs(path, done));
    return blocks === 0 ? Infinity : bavail * bsize;
  }

  async syncDirectory(path: string): Promise<void> {
    const fd = await ask<number>((done) => fs.open(path, O_RDONLY | O_DIRECTORY, done));
    try {
      await act((done) => fs.fsync(fd, done));
    } finally {
      await act((done) => fs.close(fd, done));
    }
  }

  /** @throws also `invalid-argument` on a network file system, whose locks can't be trusted. */
  async lock(path: string): Promise<VfsLock> {
    const { type } = await ask<fs.StatsFs>((done) => fs.statfs(path, done));
    const network = networkFileSystem(type);
    if (network !== undefined) {
      throw new TidemarkError(
        "invalid-argument",
        `${path} is on a network or user-space file system (${network}), where a lock does not keep other machines out; use a local disk`,
        { argument: "dir" },
      );
    }
    const options = { clock: this.#clock, random: this.#random };
    const directory = await openLockDirectory(path);
    return process.platform === "linux" ? lockDirectory(directory, options) : lockByOpening(directory, options);
  }

  async lockHolder(path: string): Promise<number | undefined> {
    const directory = await openLockDirectory(path);
    try {
      const options = { clock: this.#clock, random: this.#random };
      return await (process.platform === "linux" ? holderOf(directory, options) : holderByOpening(directory));
    } finally {
      await directory.close();
    }
  }
}

/** A descriptor and its path. */
class NodeFile implements VfsFile {
  readonly path: string;
  readonly #fd: number;
  /** Calls under way. The descriptor closes only at 0: its number may go to another file at once, and a late write would go there. */
  #underWay = 0;
  #onIdle: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(path: string, fd: number) {
    this.path = path;
    this.#fd = fd;
  }

  read(into: Uint8Array, offset: number): Promise<number> {
    return this.#use(async () => {
      let filled = 0;
      while (filled < into.byteLength) {
        const length = Math.min(into.byteLength - filled, mostBytesAtOnce);
        const got = await persist(() => ask<number>((done) => fs.read(this.#fd, into, filled, length, offset + filled, done)));
        if (got === 0) break;
        filled += got;
      }
      return filled;
    });
  }

  write(parts: readonly Uint8Array[], offset: number): Promise<void> {
    return this.#use(async () => {
      let at = offset;
      for (let rest = parts.filter((part) => part.byteLength > 0); rest.length > 0;) {
        const written = await persist(() => this.#writeSome(rest, at));
        if (written === 0) throw systemError("EIO", `the system wrote nothing and gave no reason, write '${this.path}' at ${at}`);
        at += written;
        rest = withoutFirst(rest, written);
      }
    });
  }

  sync(): Promise<void> {
    return this.#use(() => act((done) => fs.fdatasync(this.#fd, done)));
  }

  truncate(size: number): Promise<void> {
    return this.#use(() => act((done) => fs.ftruncate(this.#fd, size, done)));
  }

  async size(): Promise<number> {
    const stats = await this.#use(() => ask<fs.Stats>((done) => fs.fstat(this.#fd, done)));
    return stats.size;
  }

  close(): Promise<void> {
    this.#closing ??= this.#idle().then(() => act((done) => fs.close(this.#fd, done)));
    return this.#closing;
  }

  /** One part by `write`, which is the cheaper call; several by `writev`. Resolves with the bytes written. */
  #writeSome(parts: readonly Uint8Array[], at: number): Promise<number> {
    const [first] = parts;
    if (parts.length === 1 && first !== undefined) {
      return ask((done) => fs.write(this.#fd, first, 0, Math.min(first.byteLength, mostBytesAtOnce), at, done));
    }
    return ask((done) => fs.writev(this.#fd, parts.slice(0, mostPartsAtOnce), at, done));
  }

  async #use<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) throw systemError("EBADF", `the file is closed, '${this.path}'`);
    this.#underWay++;
    try {
      return await operation();
    } finally {
      this.#underWay--;
      if (this.#underWay === 0) this.#onIdle?.();
    }
  }

  #idle(): Promise<void> {
    if (this.#underWay === 0) return Promise.resolve();
    return new Promise((resolve) => (this.#onIdle = resolve));
  }
}

async function openLockDirectory(path: string): Promise<LockDirectory> {
  const fd = await ask<number>((done) => fs.open(path, O_RDONLY | O_DIRECTORY, done));
  // Through the descriptor a socket's path is short whatever the directory's is (108 bytes are the limit), and stays right if it is renamed.
  const root = process.platform === "linux" ? `/proc/self/fd/${fd}` : path;
  return {
    path,
    root,
    list: () => ask((done) => fs.readdir(root, done)),
    unlink: (name) => act((done) => fs.unlink(`${root}/${name}`, done)),
    read: (name) => ask((done) => fs.readFile(`${root}/${name}`, "utf8", done)),
    replace: (name, text) => replaceFile(`${root}/${name}`, text),
    openExclusive: async (name, exclusiveFlag) => {
      const file = await ask<number>((done) => fs.open(`${root}/${name}`, O_RDWR | O_CREAT | O_NONBLOCK | exclusiveFlag, done));
      return {
        write: (text) => act((done) => fs.ftruncate(file, 0, (error) => (error ? done(error) : fs.write(file, text, 0, "utf8", done)))),
        close: () => act((done) => fs.close(file, done)),
      };
    },
    close: () => act((done) => fs.close(fd, done)),
  };
}

/** On a full disk it writes over the old file, whose block is there: whoever reads it in that moment may find half of each. */
async function replaceFile(path: string, text: string): Promise<void> {
  try {
    await act((done) => fs.writeFile(`${path}.new`, text, done));
    await act((done) => fs.rename(`${path}.new`, path, done));
  } catch (error) {
    if (!["ENOSPC", "EDQUOT"].includes(systemCode(error) ?? "")) throw error;
    await act((done) => fs.rm(`${path}.new`, { force: true }, done));
    const fd = await ask<number>((done) => fs.open(path, O_RDWR, done)).catch(() => Promise.reject(error));
    try {
      await act((done) => fs.write(fd, text, 0, "utf8", done));
      await act((done) => fs.ftruncate(fd, Buffer.byteLength(text), done));
    } finally {
      await act((done) => fs.close(fd, done));
    }
  }
}

async function makeOne(path: string): Promise<"made" | "there" | "no parent"> {
  try {
    await act((done) => fs.mkdir(path, done));
    return "made";
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT") return "no parent";
    if (code === "EEXIST" && (await isDirectory(path))) return "there";
    throw error;
  }
}

async function isDirectory(path: string): Promise<boolean> {
  const stats = await ask<fs.Stats>((done) => fs.stat(path, done));
  return stats.isDirectory();
}

/** Tries again while the system says only that it was disturbed. Not for syncs: a failed one has to be told. */
async function persist(operation: () => Promise<number>): Promise<number> {
  for (;;) {
    try {
      return await operation();
    } catch (error) {
      if (!["EINTR", "EAGAIN"].includes(systemCode(error) ?? "")) throw error;
    }
  }
}

type Failure = NodeJS.ErrnoException | null;

/** A callback call that gives a value, as a promise. */
function ask<T>(start: (done: (error: Failure, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => start((error, value) => (error === null ? resolve(value) : reject(error))));
}

/** A callback call that gives none, as a promise. */
function act(start: (done: (error: Failure) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => start((error) => (error === null ? resolve() : reject(error))));
}
