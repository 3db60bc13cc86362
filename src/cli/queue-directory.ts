/**
 * The queue of a `--dir`: opened for one command, closed whatever happens.
 */
import { isTidemarkError } from "../base/errors.js";
import { openRocksMq, type RocksMq } from "../rocksmq/index.js";
import type { Arguments } from "./arguments.js";
import { Failure, sentenceOf } from "./failure.js";
import { findStore, placeForNewStore } from "./store-folder.js";

/** Where the queue lives when `--dir` is not given. */
const defaultDirectory = "./tidemark-data";

/**
 * Opens the queue, hands it to `use`, closes it. Resolves with what `use` returned.
 *
 * @param options.create whether a queue that is not there is made; else it is a `Failure`: a mistyped path must not leave an empty queue behind
 */
export async function withQueue<T>(args: Arguments, options: { readonly create: boolean }, use: (mq: RocksMq) => Promise<T>): Promise<T> {
  const directory = args.text("dir") ?? defaultDirectory;
  const found = await findStore(directory);
  if (found === undefined && !options.create) {
    throw new Failure(`there is no queue in ${directory}: name its folder with --dir, or begin one with "tidemark channel create"`);
  }
  const mq = await openIn(found ?? (await placeForNewStore(directory)));
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

async function openIn(folder: string): Promise<RocksMq> {
  try {
    return await openRocksMq({ dir: folder });
  } catch (error) {
    // Not every error of the system names the place.
    if (isTidemarkError(error)) throw error;
    throw new Failure(`can't open ${folder}: ${sentenceOf(error)}`, { cause: error });
  }
}
