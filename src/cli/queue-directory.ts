/**
 * The queue of a `--dir`: opened for one command, closed whatever happens.
 */
import { isTidemarkError } from "../base/errors.js";
import type { Logger } from "../base/logger.js";
import { openRocksMq, type RocksMq } from "../rocksmq/index.js";
import type { Arguments } from "./arguments.js";
import { Failure, sentenceOf } from "./failure.js";
import { FolderBefore } from "./folder-before.js";
import { findStore, noStore, placeForNewStore } from "./store-folder.js";

/** Where the queue lives when `--dir` is not given. */
const defaultDirectory = "./tidemark-data";

/** How a command wants the queue. */
export interface QueueUse {
  /** A queue that was made for this is taken away again when `use` fails: half of what was to go in is none. */
  readonly whole?: boolean | undefined;
  /** Default: nobody listens. */
  readonly logger?: Logger | undefined;
  /** "create": to write; one that is not there is made. "write": it must be there. "read": it must be there, and a running program may have it open. */
  readonly to: "create" | "write" | "read";
}

/**
 * Opens the queue, hands it to `use`, closes it. Resolves with what `use` returned.
 *
 * @throws `Failure` where there is none and none is to be made: a mistyped path must not leave an empty queue behind
 */
export async function withQueue<T>(args: Arguments, { to, whole, logger }: QueueUse, use: (mq: RocksMq) => Promise<T>): Promise<T> {
  const directory = args.text("dir") ?? defaultDirectory;
  const found = await findStore(directory);
  if (found === undefined && to !== "create") {
    const otherwise = `there is no queue in ${directory}: name its folder with --dir, or begin one with "tidemark channel create"`;
    throw await noStore(directory, otherwise);
  }
  const folder = found ?? (await placeForNewStore(directory));
  const before = found === undefined ? await FolderBefore.of(folder) : undefined;
  const mq = await openIn(folder, { to, logger }).catch(async (error: unknown) => {
    // What stands in it may be another program's, which was quicker.
    await before?.removeFolders();
    throw error;
  });
  let result: T;
  try {
    result = await use(mq);
  } catch (error) {
    // What went wrong first is the news.
    await mq.close().catch(() => undefined);
    if (whole === true) await before?.restore().catch(() => undefined);
    throw error;
  }
  await mq.close();
  return result;
}

async function openIn(folder: string, { to, logger }: QueueUse): Promise<RocksMq> {
  try {
    return await openRocksMq({ dir: folder, readOnly: to === "read", logger });
  } catch (error) {
    // Not every error of the system names the place.
    if (isTidemarkError(error)) throw error;
    throw new Failure(`can't open ${folder}: ${sentenceOf(error)}`, { cause: error });
  }
}
