/**
 * One process at a time in a directory, on Linux, without native code: the holder listens on a Unix socket in it. The kernel takes the
 * listener away with the process, however that ends, and answers for one that is merely stopped.
 *
 *     lock.4      left behind by a process that was killed: connecting is refused
 *     lock.5      the holder's: connecting succeeds
 *     lock.json   {"n":5,"pid":4711,"host":"…","since":"…"}
 *
 * Taking it: 1. list the sockets and connect to each; any answer means that it is not free. 2. Listen on a number above all that were seen.
 * 3. List and connect again: a number as high or higher, or any answer, means that another came in between, so leave and try later.
 * 4. Publish lock.json, then unlink the dead.
 *
 * Two can't both pass step 3. The lower one listed either before the higher one was bound, then the higher one lists later and gets an answer;
 * or after, then it sees a higher number. (Binding and listening happen in one go, so what is bound and live answers.)
 *
 * Names are never given out again below a published number: lock.json stays behind as the floor for the next. Without it a slow process that
 * leaves could unlink, by name, the socket of somebody who came later. And only a socket whose number is published is a holder's, so that
 * `locked` names the right process and those who merely try do not turn each other away for good.
 */
import { connect, createServer, type Server } from "node:net";
import { hostname } from "node:os";
import type { Clock } from "./clock.js";
import { closeAfter, closeAll } from "./close-all.js";
import { TidemarkError } from "./errors.js";
import { systemCode } from "./system-error.js";
import type { VfsLock } from "./vfs.js";

/** An open directory as its lock needs it. Names are relative to it. */
export interface LockDirectory {
  /** As its user knows it. */
  readonly path: string;
  /** A short path to it that is valid in this process, until `close`. */
  readonly root: string;
  list(): Promise<string[]>;
  unlink(name: string): Promise<void>;
  read(name: string): Promise<string>;
  /** Whole or not at all for whoever reads it meanwhile, unless the disk is full. */
  replace(name: string, text: string): Promise<void>;
  /** Opens and makes the file with one more flag of open(2). */
  openExclusive(name: string, flag: number): Promise<LockFile>;
  close(): Promise<void>;
}

/** A file that is locked while it is open. */
export interface LockFile {
  write(text: string): Promise<void>;
  close(): Promise<void>;
}

/** What taking a lock needs besides the directory. */
export interface LockOptions {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
}

/** The name of the file that says who holds the directory, or held it last. */
export const lockRecordName = "lock.json";

/** Who holds the directory, for people and for error messages. */
export interface LockRecord {
  /** The number of the holder's socket; 0 where there are no sockets. */
  readonly n: number;
  readonly pid: number;
  readonly host: string;
  readonly since: string;
}

const mostAttempts = 20;
const shortestPauseMs = 2;
const longestPauseMs = 100;

/**
 * Takes the directory, or rejects with `locked`. It owns `directory` from the call on and closes it when the lock is released or refused.
 *
 * While others try at the same moment it may wait a little, in all at most a second or two.
 */
export async function lockDirectory(directory: LockDirectory, options: LockOptions): Promise<VfsLock> {
  try {
    const taken = await untilDecided(() => tryToTake(directory, options.clock), options);
    if (taken === undefined) throw lockedError(directory.path, undefined);
    if ("pid" in taken) throw lockedError(directory.path, taken);
    return taken;
  } catch (error) {
    return closeAfter(error, () => directory.close());
  }
}

/** The pid of the holder; undefined when the directory is free; 0 when somebody has it who does not get to say who it is. */
export async function holderOf(directory: LockDirectory, options: LockOptions): Promise<number | undefined> {
  const seen = await untilDecided(async () => {
    const view = await look(directory);
    return view.live.length > 0 && view.holder === undefined ? undefined : view;
  }, options);
  return seen === undefined ? 0 : seen.holder?.pid;
}

/** The error for a directory that `holder` has; undefined: somebody who does not get to say who it is. */
export function lockedError(path: string, holder: Omit<LockRecord, "n"> | undefined): TidemarkError<"locked"> {
  const who =
    holder === undefined
      ? "another process that has not said who it is (it may be stopped in the middle of opening)"
      : `process ${holder.pid}${holder.pid === process.pid ? " (this one)" : ""} on ${holder.host} since ${holder.since}`;
  return new TidemarkError("locked", `${path} is held by ${who}; close it there first; a queue can be read meanwhile with readOnly`, {
    pid: holder?.pid ?? 0,
  });
}

/** The text of a lock file for this process. */
export function lockRecordText(n: number, clock: Clock): string {
  const record: LockRecord = { n, pid: process.pid, host: hostname(), since: new Date(clock.nowMs()).toISOString() };
  return `${JSON.stringify(record)}\n`;
}

/** What a lock file says; undefined when there is none that can be read. */
export async function readLockRecord(directory: LockDirectory): Promise<LockRecord | undefined> {
  let text: string;
  try {
    text = await directory.read(lockRecordName);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
  return parseRecord(text);
}

/** One attempt: the lock, who holds it, or undefined when it is neither free nor somebody's yet. */
async function tryToTake(directory: LockDirectory, clock: Clock): Promise<VfsLock | LockRecord | undefined> {
  const before = await look(directory);
  if (before.live.length > 0) return before.holder;
  const own = before.highest + 1;
  const server = await listen(directory, own);
  if (server === undefined) return undefined;
  try {
    const after = await look(directory, own);
    if (after.live.length > 0 || after.highest >= own) {
      await stop(server);
      return after.holder;
    }
    await directory.replace(lockRecordName, lockRecordText(own, clock));
    // Only now: whoever was slow to bind one of these numbers finds a higher one published, and leaves.
    for (const number of after.dead) await unlinkIfThere(directory, socketName(number));
  } catch (error) {
    await stop(server);
    throw error;
  }
  return new SocketLock(server, directory);
}

class SocketLock implements VfsLock {
  readonly #server: Server;
  readonly #directory: LockDirectory;
  #released: Promise<void> | undefined;

  constructor(server: Server, directory: LockDirectory) {
    this.#server = server;
    this.#directory = directory;
  }

  release(): Promise<void> {
    // In this order: closing the server unlinks its socket by a path that goes through the directory's descriptor.
    this.#released ??= closeAll(
      () => stop(this.#server),
      () => this.#directory.close(),
    );
    return this.#released;
  }
}

interface View {
  /** The highest number among the sockets and in lock.json; 0 when there is none. */
  readonly highest: number;
  readonly live: readonly number[];
  readonly dead: readonly number[];
  /** What lock.json says, if that one lives. */
  readonly holder: LockRecord | undefined;
}

/** Lists the sockets, all but `own`, and connects to each. */
async function look(directory: LockDirectory, own?: number): Promise<View> {
  const names = await directory.list();
  const numbers = names
    .map(socketNumber)
    .filter((number) => number !== undefined)
    .filter((number) => number !== own);
  const answers = await Promise.all(numbers.map((number) => probe(directory, number)));
  const those = (answer: Answer): number[] => numbers.filter((_, i) => answers[i] === answer);
  // After the probes: whoever has published meanwhile is not missed.
  const record = await readLockRecord(directory);
  const live = those("live");
  return {
    highest: Math.max(0, record?.n ?? 0, ...numbers),
    live,
    dead: those("dead"),
    holder: record !== undefined && live.includes(record.n) ? record : undefined,
  };
}

type Answer = "live" | "dead" | "gone";

function probe(directory: LockDirectory, number: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path: `${directory.root}/${socketName(number)}` });
    socket.on("connect", () => {
      socket.destroy();
      resolve("live");
    });
    socket.on("error", (error) => {
      const code = systemCode(error);
      if (code === "ECONNREFUSED") resolve("dead");
      else if (code === "ENOENT") resolve("gone");
      // So many have knocked at a stopped holder that the kernel queues no more.
      else if (code === "EAGAIN") resolve("live");
      // It lived when we knocked and has gone since: the next knock is refused.
      else if (code === "ECONNRESET") resolve(probe(directory, number));
      else reject(error);
    });
  });
}

/** Undefined when the number is taken. */
function listen(directory: LockDirectory, number: number): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((visitor) => {
      visitor.on("error", () => visitor.destroy());
      visitor.destroy();
    });
    // Stays for good: a later failure to accept must not end the process, and the kernel has answered the visitor all the same.
    server.on("error", (error) => (systemCode(error) === "EADDRINUSE" ? resolve(undefined) : reject(error)));
    // `exclusive`: in a cluster's worker the listener would else be the primary's, and outlive the worker.
    server.listen({ path: `${directory.root}/${socketName(number)}`, exclusive: true }, () => resolve(server));
    // An idle open store does not hold the process.
    server.unref();
  });
}

/** Closes the server, which unlinks its socket. */
function stop(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

async function untilDecided<T>(attempt: () => Promise<T | undefined>, options: LockOptions): Promise<T | undefined> {
  for (let pauseMs = shortestPauseMs, left = mostAttempts; left > 0; left--) {
    const decided = await attempt();
    if (decided !== undefined) return decided;
    await pause(pauseMs * (0.5 + options.random()), options.clock);
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
  return undefined;
}

function pause(ms: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => clock.setTimer(ms, resolve, { keepAlive: true }));
}

function socketName(number: number): string {
  return `lock.${number}`;
}

function socketNumber(name: string): number | undefined {
  const digits = /^lock\.([1-9]\d{0,14})$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

async function unlinkIfThere(directory: LockDirectory, name: string): Promise<void> {
  try {
    await directory.unlink(name);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
}

function parseRecord(text: string): LockRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Torn by a power cut, or not ours: it names nobody.
    return undefined;
  }
  return isRecord(value) ? value : undefined;
}

function isRecord(value: unknown): value is LockRecord {
  if (typeof value !== "object" || value === null) return false;
  if (!("n" in value && "pid" in value && "host" in value && "since" in value)) return false;
  return (
    Number.isSafeInteger(value.n) && Number.isSafeInteger(value.pid) && typeof value.host === "string" && typeof value.since === "string"
  );
}
