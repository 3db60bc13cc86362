/**
 * Where subscriptions go on: under its name and for each channel, the end of the last pack that was handled.
 *
 *     save ─▶ [ latest place a channel ] ─▶ one write at a time ─▶ back-end        what comes meanwhile goes with the next write
 *
 * One for all streams of a factory, so that a stream which resumes sees what another one has just saved.
 */
import { TidemarkError } from "../base/errors.js";
import type { LogBackend, ResumePoint } from "../backend/index.js";
import { type MsgPosition, positionFromBytes, positionToBytes } from "../message/index.js";

interface Subscription {
  readonly pending: Map<string, ResumePoint>;
  /** Settles once nothing is pending any more. Undefined while nothing is written. */
  writing: Promise<void> | undefined;
}

/** Keeps them in the back-end. */
export class ResumePoints {
  readonly #backend: LogBackend;
  readonly #subscriptions = new Map<string, Subscription>();

  constructor(backend: LogBackend) {
    this.#backend = backend;
  }

  /** Resolves once they are kept. A back-end that is open for reading only keeps nothing. */
  async save(positions: readonly MsgPosition[]): Promise<void> {
    if (this.#backend.readOnly) return;
    const names = new Set<string>();
    for (const position of positions) {
      const { channelName: channel, msgGroup, msgId } = position;
      names.add(msgGroup);
      this.#subscription(msgGroup).pending.set(channel, { channel, position: positionToBytes(position), keepFrom: msgId });
    }
    await Promise.all([...names].map((name) => this.#write(name)));
  }

  /** By channel, also what is on its way there. A channel without one is not in it. @throws `corrupt` for bytes that are no position */
  async load(name: string, channels: readonly string[]): Promise<ReadonlyMap<string, MsgPosition>> {
    // Whoever saved it hears of a failure; what is there then counts.
    await this.#subscriptions.get(name)?.writing?.catch(() => undefined);
    const kept = await this.#backend.loadResumePoints(name, channels);
    return new Map([...kept].map(([channel, bytes]) => [channel, this.#positionIn(bytes, name, channel)]));
  }

  #positionIn(bytes: Uint8Array, name: string, channel: string): MsgPosition {
    try {
      return positionFromBytes(bytes, this.#backend.name);
    } catch (cause) {
      const text = `the resume point of ${JSON.stringify(name)} in channel ${JSON.stringify(channel)} is no position: somebody else has written it, or it is damaged`;
      throw new TidemarkError("corrupt", text, { file: `${name}/${channel}`, offset: 0 }, { cause });
    }
  }

  #subscription(name: string): Subscription {
    let subscription = this.#subscriptions.get(name);
    if (subscription === undefined) this.#subscriptions.set(name, (subscription = { pending: new Map(), writing: undefined }));
    return subscription;
  }

  #write(name: string): Promise<void> {
    const subscription = this.#subscription(name);
    subscription.writing ??= this.#writeAll(name, subscription);
    return subscription.writing;
  }

  async #writeAll(name: string, subscription: Subscription): Promise<void> {
    const { pending } = subscription;
    try {
      while (pending.size > 0) {
        const points = [...pending.values()];
        pending.clear();
        await this.#backend.saveResumePoints(name, points);
      }
    } finally {
      // In the turn in which nothing was pending: whoever saves next begins another write.
      subscription.writing = undefined;
    }
  }
}
