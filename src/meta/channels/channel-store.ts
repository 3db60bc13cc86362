/**
 * What the channel service makes its channels in, and how it has many of them made and taken away there.
 */
import { isTidemarkError } from "../../base/errors.js";

/** A `RocksMq` fits; so does whatever can make and remove a channel by name, durably. */
export interface ChannelStore {
  /** @throws `channel-exists` when there is one already, which then is not touched */
  createChannel(name: string): Promise<void>;
  /** @throws `channel-not-found` when there is none, which is as good to the service */
  destroyChannel(name: string): Promise<void>;
}

/** So many calls at a time: enough to share syncs, few enough for a store behind a wire. */
const atOnce = 64;

/** What became of calls for many channels; where one fails, those behind it may not have been tried. */
export interface StoreOutcome {
  /** What was thrown first; undefined when all went well. */
  readonly failure: { readonly error: unknown } | undefined;
  /** Channels that are in the store for certain, and are somebody else's. */
  readonly foreign: ReadonlySet<string>;
}

/** Makes them all, or as many as can be made before one fails. */
export async function createAll(store: ChannelStore, names: readonly string[]): Promise<StoreOutcome> {
  const foreign = new Set<string>();
  const failure = await forAll(names, async (name) => {
    try {
      await store.createChannel(name);
    } catch (error) {
      if (isTidemarkError(error, "channel-exists")) foreign.add(name);
      throw error;
    }
  });
  return { failure, foreign };
}

/** Takes them all away, those that are there. @throws what the store throws */
export async function destroyAll(store: ChannelStore, names: readonly string[]): Promise<void> {
  const failure = await forAll(names, async (name) => {
    try {
      await store.destroyChannel(name);
    } catch (error) {
      if (!isTidemarkError(error, "channel-not-found")) throw error;
    }
  });
  if (failure !== undefined) throw failure.error;
}

async function forAll(names: readonly string[], work: (name: string) => Promise<void>): Promise<StoreOutcome["failure"]> {
  for (let at = 0; at < names.length; at += atOnce) {
    const outcomes = await Promise.allSettled(names.slice(at, at + atOnce).map(work));
    const failed = outcomes.find((outcome): outcome is PromiseRejectedResult => outcome.status === "rejected");
    if (failed !== undefined) return { error: failed.reason };
  }
  return undefined;
}
