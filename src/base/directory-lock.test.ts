import * as fs from "node:fs";
import { createServer } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock, type Clock } from "./clock.js";
import { Deferred } from "./deferred.js";
import { holderOf, lockDirectory, type LockDirectory } from "./directory-lock.js";
import { lockByOpening } from "./directory-lock-darwin.js";
import { NodeVfs } from "./node-vfs.js";

let dir: string;
beforeEach(() => {
  dir = fs.mkdtempSync(join(tmpdir(), "tidemark-lock-"));
});
afterEach(() => fs.rmSync(dir, { recursive: true }));

/** Pauses end at once: how long they are is not what these tests are about. */
const hastyClock: Clock = {
  ...systemClock,
  setTimer: (_ms, f) => {
    const immediate = setImmediate(f);
    return () => clearImmediate(immediate);
  },
};
const hasty = { clock: hastyClock, random: () => 0 };

/** The directory under test, opened by hand, so that a test can stand between the lock and the disk. */
function directoryOf(changes: Partial<LockDirectory> = {}): LockDirectory & { readonly closed: () => boolean } {
  const fd = fs.openSync(dir, "r");
  const root = `/proc/self/fd/${fd}`;
  let closed = false;
  return {
    path: dir,
    root,
    list: async () => fs.readdirSync(root),
    unlink: async (name) => fs.unlinkSync(join(root, name)),
    read: async (name) => fs.readFileSync(join(root, name), "utf8"),
    replace: async (name, text) => fs.writeFileSync(join(root, name), text),
    openExclusive: () => Promise.reject(new Error("not on Linux")),
    close: async () => {
      fs.closeSync(fd);
      closed = true;
    },
    ...changes,
    closed: () => closed,
  };
}

/** A directory whose first look is held up between the sockets and the lock file: it goes on with what it saw at its beginning. */
function heldUpAfterLooking(): { directory: LockDirectory; hasLooked: Promise<void>; goOn: () => void } {
  const hasLooked = new Deferred<void>();
  const mayGoOn = new Deferred<void>();
  const direct = directoryOf();
  let looks = 0;
  const list = async (): Promise<string[]> => {
    const names = await direct.list();
    if (++looks === 1) {
      hasLooked.resolve();
      await mayGoOn.promise;
    }
    return names;
  };
  const noRecordYet = (): Promise<never> => Promise.reject(Object.assign(new Error("ENOENT"), { code: "ENOENT" }));
  const read = (name: string): Promise<string> => (looks === 1 ? noRecordYet() : direct.read(name));
  return { directory: { ...direct, list, read }, hasLooked: hasLooked.promise, goOn: () => mayGoOn.resolve() };
}

/** A socket that its owner left without unlinking it, as a killed process does. */
async function leaveDeadSocket(name: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(dir, "leaving"), resolve));
  // The system unlinks what was bound; under another name it stays.
  fs.renameSync(join(dir, "leaving"), join(dir, name));
  await new Promise((resolve) => server.close(resolve));
}

describe("the directory lock", () => {
  it("turns away a second opener, in the same process too, and says who holds it", async () => {
    const disk = new NodeVfs();
    const lock = await disk.lock(dir);

    await expect(disk.lock(dir)).rejects.toMatchObject({ code: "locked", retry: "backoff", effect: "none", details: { pid: process.pid } });
    await expect(disk.lock(dir)).rejects.toThrow(
      new RegExp(`^${dir} is held by process ${process.pid} \\(this one\\) on ${hostname()} since 20`),
    );
    expect(await disk.lockHolder(dir)).toBe(process.pid);

    await lock.release();
  });

  it("is free once it is released, however often that is said", async () => {
    const disk = new NodeVfs();
    const first = await disk.lock(dir);
    await first.release();
    await first.release();
    expect(await disk.lockHolder(dir)).toBeUndefined();

    const second = await disk.lock(dir);
    await first.release();

    expect(await disk.lockHolder(dir)).toBe(process.pid);
    await second.release();
  });

  it("works in directories whose path no socket could have", async () => {
    const disk = new NodeVfs();
    const deep = join(dir, "d".repeat(120), "e".repeat(120));
    await disk.makeDirectory(deep);

    const lock = await disk.lock(deep);

    expect(await disk.lockHolder(deep)).toBe(process.pid);
    await lock.release();
  });

  it("is taken by exactly one of many who try at once", async () => {
    const disk = new NodeVfs();
    for (let round = 0; round < 20; round++) {
      const tries = await Promise.allSettled(Array.from({ length: 6 }, () => disk.lock(dir)));

      const won = tries.filter((one) => one.status === "fulfilled");
      const lost = tries.filter((one) => one.status === "rejected");
      expect(won).toHaveLength(1);
      for (const { reason } of lost) expect(reason).toMatchObject({ code: "locked", details: { pid: process.pid } });
      for (const { value } of won) await value.release();
    }
    expect(fs.readdirSync(dir)).toEqual(["lock.json"]);
  });

  it("passes over what dead holders left, and clears it away", async () => {
    await leaveDeadSocket("lock.3");
    await leaveDeadSocket("lock.7");

    const lock = await lockDirectory(directoryOf(), hasty);

    expect(fs.readdirSync(dir).sort()).toEqual(["lock.8", "lock.json"]);
    await lock.release();
  });

  it("never gives a number out again, so that nobody unlinks a successor's socket", async () => {
    const first = await lockDirectory(directoryOf(), hasty);
    await first.release();

    const second = await lockDirectory(directoryOf(), hasty);

    expect(fs.readdirSync(dir).sort()).toEqual(["lock.2", "lock.json"]);
    await second.release();
  });

  it("turns away whoever was slow between looking and binding, when another has taken it since", async () => {
    const slow = heldUpAfterLooking();
    const late = lockDirectory(slow.directory, hasty);
    await slow.hasLooked;
    // So the quick one's number differs from the slow one's.
    await leaveDeadSocket("lock.1");
    const quick = await lockDirectory(directoryOf(), hasty);

    slow.goOn();

    await expect(late).rejects.toMatchObject({ code: "locked", details: { pid: process.pid } });
    expect(fs.readdirSync(dir).sort()).toEqual(["lock.2", "lock.json"]);
    await quick.release();
  });

  it("turns away whoever was slow also when the other one has passed its checks and not said so yet", async () => {
    await leaveDeadSocket("lock.3");
    const slow = heldUpAfterLooking();
    const late = lockDirectory(slow.directory, hasty);
    await slow.hasLooked;
    fs.unlinkSync(join(dir, "lock.3"));
    const [hasPassed, mayPublish] = [new Deferred<void>(), new Deferred<void>()];
    const direct = directoryOf();
    const replace: LockDirectory["replace"] = async (name, text) => {
      hasPassed.resolve();
      await mayPublish.promise;
      return direct.replace(name, text);
    };
    const quick = lockDirectory({ ...direct, replace }, hasty);
    await hasPassed.promise;

    slow.goOn();

    await expect(late).rejects.toMatchObject({ code: "locked" });
    mayPublish.resolve();
    await (await quick).release();
  });

  it("lets whoever was slow find out that its number was used up meanwhile", async () => {
    const slow = heldUpAfterLooking();
    const late = lockDirectory(slow.directory, hasty);
    await slow.hasLooked;
    const quick = await lockDirectory(directoryOf(), hasty);
    await quick.release();

    slow.goOn();
    const lock = await late;

    expect(fs.readdirSync(dir).sort()).toEqual(["lock.2", "lock.json"]);
    await lock.release();
  });

  it("looks again at a holder that was gone before it had answered", async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(join(dir, "lock.4"), resolve));
    const direct = directoryOf();
    const gone = new Deferred<void>();
    const directory: LockDirectory = {
      ...direct,
      // Its path is asked for right before the call that connects: the visitor waits in the holder's queue when that closes.
      get root() {
        queueMicrotask(() => void holder.close(() => gone.resolve()));
        return direct.root;
      },
    };

    const lock = await lockDirectory(directory, hasty);

    await gone.promise;
    expect(fs.readdirSync(dir)).toContain("lock.json");
    await lock.release();
  });

  it("does not blame the last holder when somebody else is in the middle of taking it", async () => {
    const last = await lockDirectory(directoryOf(), hasty);
    await last.release();
    const someone = createServer();
    await new Promise<void>((resolve) => someone.listen(join(dir, "lock.9"), resolve));

    await expect(lockDirectory(directoryOf(), hasty)).rejects.toMatchObject({ code: "locked", details: { pid: 0 } });
    const looking = directoryOf();
    expect(await holderOf(looking, hasty)).toBe(0);
    await looking.close();

    await new Promise((resolve) => someone.close(resolve));
  });

  it("leaves nothing behind, no descriptor either, when it can't publish who holds it", async () => {
    const failing = directoryOf({ replace: () => Promise.reject(Object.assign(new Error("no space"), { code: "ENOSPC" })) });

    await expect(lockDirectory(failing, hasty)).rejects.toMatchObject({ code: "ENOSPC" });

    expect(failing.closed()).toBe(true);
    expect(fs.readdirSync(dir)).toEqual([]);
  });

  it("takes no heed of a lock file that can't be read, or of names that are no sockets", async () => {
    fs.writeFileSync(join(dir, "lock.json"), '{"n":');
    fs.writeFileSync(join(dir, "lock.5"), "a file");
    fs.writeFileSync(join(dir, "lock.05"), "a file");

    const lock = await lockDirectory(directoryOf(), hasty);

    const holder: unknown = JSON.parse(fs.readFileSync(join(dir, "lock.json"), "utf8"));
    expect(holder).toMatchObject({ n: 6, pid: process.pid, host: hostname() });
    await lock.release();
  });

  it("fails with the system's error where there is no directory", async () => {
    await expect(new NodeVfs().lock(join(dir, "none"))).rejects.toMatchObject({ code: "ENOENT" });
    await expect(new NodeVfs().lockHolder(join(dir, "none"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("a lock that is held by an open file", () => {
  it("is let go of, and the directory with it, when it can't be said who holds it", async () => {
    const closed: string[] = [];
    const file = {
      write: () => Promise.reject(new Error("ENOSPC")),
      close: async () => {
        closed.push("file");
        throw new Error("EIO");
      },
    };
    const directory = directoryOf({ openExclusive: async () => file });

    await expect(lockByOpening(directory, hasty)).rejects.toThrow("ENOSPC");

    expect(closed).toEqual(["file"]);
    expect(directory.closed()).toBe(true);
  });
});
