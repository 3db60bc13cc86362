/**
 * Channels by the number, with their owners: the seed's Message Stream Service.
 *
 *     create    lot stored, all pending ─▶ made in the store ─▶ lot stored, all there      ─▶ answer
 *     destroy   lot stored, those pending ─▶ gone from the store ─▶ lot stored without them ─▶ answer
 *                                 ▲
 *     open ─▶ what is pending ────┘
 *
 * What is to happen is stored before the store is touched, so that a process that is killed anywhere leaves either all of it or nothing once the service
 * is open again: an unfinished create is taken back (nobody was told the names), an unfinished destroy is finished.
 */
import { randomBytes } from "node:crypto";
import type { Closable } from "../../base/closable.js";
import { isTidemarkError, TidemarkError } from "../../base/errors.js";
import { Mutex } from "../../base/mutex.js";
import { channelNames, lotKey, type OwnerDescription } from "./channel-lot.js";
import {
  type ChannelServiceOptions,
  type ChannelsRequest,
  checkCreate,
  checkNames,
  checkServiceOptions,
  type CreateChannelsRequest,
} from "./channel-requests.js";
import { type ChannelStore, createAll, destroyAll } from "./channel-store.js";
import { type Lot, Lots } from "./lots.js";

/** Whose a channel is. */
export interface OwnedChannel {
  channelName: string;
  owner: OwnerDescription;
}

/** The seed's service (8.2). Each call does all it was asked for, or nothing, also when the process is killed in it. */
export interface ChannelService {
  /**
   * Resolves once all channels are there, with their names in the order they were made. No name is ever used twice.
   *
   * @throws `invalid-argument`; `too-large`; what the store throws, and then none of them is left
   */
  createChannels(request: CreateChannelsRequest): Promise<{ channelNames: string[] }>;
  /**
   * Resolves once none of them is there, nor what was in them. A name given twice counts once.
   *
   * @throws `channel-not-found` with all names that are not the service's in `details.channels`, and nothing destroyed; `too-large`, and nothing destroyed, for channels
   * of more than 1,024 creates, or of creates whose names and owners come to more than 1.5 MiB together; `backend-failure` when the store fails half-way:
   * they are gone for everybody who asks the service, and the next change or the next open takes away the rest
   */
  destroyChannels(request: ChannelsRequest): Promise<void>;
  /** @deprecated The seed's spelling of `destroyChannels`. */
  destoryChannels(request: ChannelsRequest): Promise<void>;
  /**
   * One description a name, in the order of the names; of all channels, in the order they were made, when no name is given.
   *
   * @throws `channel-not-found` with all names that are not the service's in `details.channels`
   */
  describeChannels(request: ChannelsRequest): Promise<{ descriptions: OwnedChannel[] }>;
}

/**
 * Opens the channel service over a metadata store and whatever makes channels, and settles what an earlier one left unfinished. It owes a `close()`;
 * both stores stay open. Only one service at a time may work on the same metadata.
 *
 * Names are `<namePrefix>-<16 random hexadecimal digits>-<number>`. Channels that others made in the store are never touched.
 *
 * @throws `invalid-argument`; `corrupt`; what the two stores throw
 *
 * @example
 * ```ts
 * const service = await openChannelService({ meta, store: mq });
 * const ownerDescription = { role: "proxy", address: "10.0.0.7:19530", descriptionText: "inserts of tenant 12" };
 * const { channelNames } = await service.createChannels({ ownerDescription, numChannels: 4 });
 * await mq.produce(channelNames[0], [{ payload }]);
 * ```
 */
export async function openChannelService(options: ChannelServiceOptions): Promise<ChannelService & Closable> {
  const { meta, store, namePrefix } = checkServiceOptions(options);
  const service = new LotChannelService(new Lots(meta), store, namePrefix);
  await service.settle();
  return service;
}

class LotChannelService implements ChannelService, Closable {
  readonly #lots: Lots;
  readonly #store: ChannelStore;
  readonly #namePrefix: string;
  /** Changes run one after the other, in call order. */
  readonly #changes = new Mutex();
  /** Something may be pending: a change is under way, or one has failed. */
  #isUnsettled = false;
  #closed = false;

  constructor(lots: Lots, store: ChannelStore, namePrefix: string) {
    this.#lots = lots;
    this.#store = store;
    this.#namePrefix = namePrefix;
  }

  /** Takes whatever is pending out of the store. */
  async settle(): Promise<void> {
    const unfinished = (await this.#lots.all()).filter(({ pending }) => pending.length > 0);
    // Written once more, so that whoever began it finds it taken over, and no write of his that is still on its way arrives. One by one: together they may be more
    // than a transaction takes.
    for (const lot of unfinished) await this.#takeAway(await this.#intend([lot]));
    this.#isUnsettled = false;
  }

  async createChannels(request: CreateChannelsRequest): Promise<{ channelNames: string[] }> {
    const { ownerDescription, numChannels } = checkCreate(request);
    return this.#change(async () => {
      const lot = randomBytes(8).toString("hex");
      const names = channelNames(this.#namePrefix, lot, numChannels);
      const wish = { key: lotKey(lot), owner: ownerDescription, channels: [], pending: names, modRevision: 0n };
      const [intent = wish] = await this.#intend([wish]);
      await this.#make(intent);
      await this.#complete({ ...intent, channels: names, pending: [] });
      return { channelNames: [...names] };
    });
  }

  async destroyChannels(request: ChannelsRequest): Promise<void> {
    const names = new Set(checkNames(request));
    await this.#change(async () => {
      const found = await this.#lots.around(names);
      const lots = new Set(Array.from(names, (name) => found.get(name)).filter((lot) => lot !== undefined));
      refuseUnknown(names, found);
      const intents = await this.#intend(Array.from(lots, (lot) => without(lot, names)));
      try {
        await this.#takeAway(intents);
      } catch (error) {
        throw halfDestroyed(names.size, error);
      }
    });
  }

  destoryChannels(request: ChannelsRequest): Promise<void> {
    return this.destroyChannels(request);
  }

  async describeChannels(request: ChannelsRequest): Promise<{ descriptions: OwnedChannel[] }> {
    this.#refuseCalls();
    const names = checkNames(request);
    if (names.length === 0) {
      const lots = await this.#lots.all();
      return { descriptions: lots.flatMap(({ channels, owner }) => channels.map((channelName) => ({ channelName, owner: { ...owner } }))) };
    }
    const found = await this.#lots.around(names);
    refuseUnknown(names, found);
    return { descriptions: names.flatMap((channelName) => ownedIn(found, channelName)) };
  }

  /** Refuses new calls with `closed`, and resolves once the changes under way are settled. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#changes.run(() => undefined);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #change<T>(work: () => Promise<T>): Promise<T> {
    this.#refuseCalls();
    return this.#changes.run(async () => {
      if (this.#isUnsettled) await this.settle();
      return work();
    });
  }

  /** Stores what is to happen, before it does. */
  #intend(lots: readonly Lot[]): Promise<Lot[]> {
    this.#isUnsettled = true;
    return this.#lots.write(lots);
  }

  /** Makes what is pending, all of it; else what was made is taken away again, and the lot is gone. */
  async #make(intent: Lot): Promise<void> {
    const { failure, foreign } = await createAll(this.#store, intent.pending);
    if (failure === undefined) return;
    const ours = { ...intent, pending: intent.pending.filter((name) => !foreign.has(name)) };
    // What can't be undone now is undone by the next change, or the next open.
    await this.#takeAway([ours]).catch(() => undefined);
    throw failure.error;
  }

  /** From here on the channels are there. */
  async #complete(lot: Lot): Promise<void> {
    try {
      await this.#lots.write([lot]);
      this.#isUnsettled = false;
    } catch (error) {
      // Another service took the lot for unfinished, and took away what it found then: not what was made after.
      if (isTidemarkError(error, "conflict")) await destroyAll(this.#store, lot.channels);
      throw error;
    }
  }

  async #takeAway(lots: readonly Lot[]): Promise<void> {
    const names = lots.flatMap(({ pending }) => pending);
    await destroyAll(this.#store, names);
    await this.#lots.write(lots.map((lot) => ({ ...lot, pending: [] })));
    this.#isUnsettled = false;
  }

  #refuseCalls(): void {
    if (this.#closed) throw new TidemarkError("closed", "the channel service is closed: open it again to go on", {});
  }
}

/** The lot with these of its channels pending. */
function without(lot: Lot, names: ReadonlySet<string>): Lot {
  const channels = lot.channels.filter((name) => !names.has(name));
  return { ...lot, channels, pending: [...lot.pending, ...lot.channels.filter((name) => names.has(name))] };
}

function ownedIn(found: ReadonlyMap<string, Lot>, channelName: string): OwnedChannel[] {
  const lot = found.get(channelName);
  return lot === undefined ? [] : [{ channelName, owner: { ...lot.owner } }];
}

function refuseUnknown(names: Iterable<string>, found: ReadonlyMap<string, Lot>): void {
  const unknown = [...new Set(names)].filter((name) => !found.has(name));
  if (unknown.length === 0) return;
  const first = unknown.slice(0, 10).map((name) => JSON.stringify(name));
  const more = unknown.length > 10 ? ` and ${unknown.length - 10} more` : "";
  const text = `the channel service has no channel ${first.join(", ")}${more}: check the names; nothing was done`;
  throw new TidemarkError("channel-not-found", text, { channels: unknown });
}

function halfDestroyed(count: number, cause: unknown): TidemarkError<"backend-failure"> {
  const text = `the store failed while ${count} channels were destroyed: they are no longer the service's, and its next change, or the next open, takes the rest out of the store`;
  return new TidemarkError("backend-failure", text, {}, { cause });
}
