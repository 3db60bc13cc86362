/**
 * Which channels of a factory are worth a tick: those that got data and those that somebody reads.
 */

/** Under which a factory carries its `ChannelActivity`. */
export const channelActivity: unique symbol = Symbol("tidemark.channel-activity");

/** What a factory's streams do with their channels, as the factory's ticker needs to know it. */
export class ChannelActivity {
  /** Since the last `takeActive`. */
  readonly #active = new Set<string>();
  /** Those that read now. */
  readonly #readers = new Map<string, number>();

  /** Something that is no tick was stored in the channel. */
  wrote(channel: string): void {
    this.#active.add(channel);
  }

  /** Somebody reads the channel from now on, until the returned function is called; that is idempotent. */
  reading(channel: string): () => void {
    this.#active.add(channel);
    this.#readers.set(channel, this.#readersOf(channel) + 1);
    let reads = true;
    return () => {
      if (!reads) return;
      reads = false;
      // Whoever comes back may want what it would have missed.
      this.#active.add(channel);
      this.#readers.set(channel, this.#readersOf(channel) - 1);
    };
  }

  /** Whether the channel got data, or had a reader, since the last call for it. */
  takeActive(channel: string): boolean {
    return this.#active.delete(channel) || this.#readersOf(channel) > 0;
  }

  #readersOf(channel: string): number {
    return this.#readers.get(channel) ?? 0;
  }
}
