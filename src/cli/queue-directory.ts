/**
 * The queue of a `--dir`: opened for one command, closed whatever happens.
 */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { isTidemarkError } from "../base/errors.js";
import { openRocksMq, type RocksMq } from "../rocksmq/index.js";
import type { Arguments } from "./arguments.js";
import { Failure, sentenceOf } from "./failure.js";

/** Where the queue lives when `--dir` is not given. */
const defaultDirectory = "./tidemark-data";

/** The folder of the queue inside the one that the user named. */
export function queueFolder(directory: string): string {
  return join(directory, "queue");
}

/** How a command wants the queue. */
export interface QueueUse {
  /** "create": to write; one that is not there is made. "write": it must be there. "read": it must be there, and a running program may have it open. */
  readonly to: "create" | "write" | "read";
}

/**
 * Opens the queue, hands it to `use`, closes it. Resolves with what `use` returned.
 *
 * @throws `Failure` where there is none and none is to be made: a mistyped path must not leave an empty queue behind
 */
export async function withQueue<T>(args: Arguments, { to }: QueueUse, use: (mq: RocksMq) => Promise<T>): Promise<T> {
  const directory = args.text("dir") ?? defaultDirectory;
  if (to !== "create" && !(await isThere(queueFolder(directory)))) throw noQueue(directory);
  const mq = await openIn(directory, to);
  let result: T;
  try {
    result = await use(mq);
  } catch (error) {
    // What went wrong first is the news.
    await mq.close().catch(() => undefined);
    throw error;
  }
  await mq.close();
  return result;
}

async function openIn(directory: string, to: QueueUse["to"]): Promise<RocksMq> {
  const folder = queueFolder(directory);
  try {
    return await openRocksMq({ dir: folder, readOnly: to === "read" });
  } catch (error) {
    if (to === "read" && isTidemarkError(error, "invalid-argument")) throw noQueue(directory);
    // Not every error of the system names the place.
    if (isTidemarkError(error)) throw error;
    throw new Failure(`can't open ${folder}: ${sentenceOf(error)}`, { cause: error });
  }
}

/** The folder itself, or the queue inside it: people have the one from `--dir` at hand. */
export async function storeIn(dir: string): Promise<string> {
  if (!(await stat(dir)).isDirectory()) throw new Failure(`${dir} is a file: name the queue's folder`);
  const inner = await stat(queueFolder(dir)).catch(() => undefined);
  return inner?.isDirectory() === true ? queueFolder(dir) : dir;
}

function noQueue(directory: string): Failure {
  return new Failure(`there is no queue in ${directory}: name its folder with --dir, or begin one with "tidemark channel create"`);
}

async function isThere(folder: string): Promise<boolean> {
  try {
    return (await stat(folder)).isDirectory();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
