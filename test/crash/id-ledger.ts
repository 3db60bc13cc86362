/**
 * Every id that anybody has ever seen, in an ack or by reading, over all lives of a store.
 *
 * The law: in a channel's name, over all its incarnations, an id stands for one message for good, and new ones are above all older ones.
 */
import { FaultFound } from "./fault-found.js";
import type { StoreState } from "./store-state.js";

/** Remembers ids, and finds fault with one that is used twice. */
export class IdLedger {
  readonly #tags = new Map<string, string>();
  readonly #highest = new Map<string, bigint>();

  /** An ack for new messages. */
  acked(channel: string, firstId: bigint, tags: readonly string[]): void {
    const highest = this.#highest.get(channel);
    if (highest !== undefined && firstId <= highest) {
      throw new FaultFound(`${channel}: id ${firstId} was given to ${tags[0]} after somebody had seen id ${highest}`);
    }
    for (const [index, tag] of tags.entries()) this.#note(channel, firstId + BigInt(index), tag);
  }

  /** A look at the whole store. */
  seen(state: StoreState): void {
    for (const [name, channel] of state.channels) for (const message of channel.messages) this.#note(name, message.id, message.tag);
  }

  copy(): IdLedger {
    const copy = new IdLedger();
    for (const [key, tag] of this.#tags) copy.#tags.set(key, tag);
    for (const [channel, id] of this.#highest) copy.#highest.set(channel, id);
    return copy;
  }

  #note(channel: string, id: bigint, tag: string): void {
    const key = `${channel}/${id}`;
    const known = this.#tags.get(key);
    if (known !== undefined && known !== tag) throw new FaultFound(`${channel}: id ${id} was ${known} and is now ${tag}`);
    this.#tags.set(key, tag);
    if (id > (this.#highest.get(channel) ?? -1n)) this.#highest.set(channel, id);
  }
}
