/**
 * Makes streams over channels of one kind.
 */
import { closeAll, closeTogether } from "../base/close-all.js";
import { TidemarkError } from "../base/errors.js";
import { type LogBackend, MemoryBackend, RocksMqBackend } from "../backend/index.js";
import type { RocksMq } from "../rocksmq/index.js";
import { ChannelStream } from "./channel-stream.js";
import type { MsgStream, MsgStreamFactory } from "./door.js";
import { defaultSettings, type StreamOptions, type StreamSettings, type TtOptions, ttSettings, withOptions } from "./options.js";
import { ResumePoints } from "./resume-points.js";
import { RowIds } from "./row-ids.js";
import { plainKind, type StreamKind, ttKind } from "./stream-kind.js";
import { ChannelActivity, channelActivity } from "./ticker-activity.js";

/**
 * Streams over the channels of a RocksMq, which keeps also where subscriptions resume. `asConsumer` and `asProducer` create missing channels. Closing the
 * factory leaves the RocksMq open.
 *
 * @throws `invalid-argument`
 *
 * @example
 * ```ts
 * const mq = await openRocksMq({ dir: "./data" });
 * const factory = rocksMqMsgStreamFactory(mq, { packMessages: 100 });
 * ```
 */
export function rocksMqMsgStreamFactory(mq: RocksMq, options: StreamOptions = {}): MsgStreamFactory {
  const settings = withOptions(defaultSettings(), options);
  return new BackendMsgStreamFactory(new RocksMqBackend(mq), settings);
}

/**
 * Streams in this process only. Those of one factory see each other's channels, which end with it.
 *
 * @throws `invalid-argument`
 */
export function memoryMsgStreamFactory(options: StreamOptions = {}): MsgStreamFactory {
  const settings = withOptions(defaultSettings(), options);
  return new BackendMsgStreamFactory(new MemoryBackend({ clock: settings.clock }), settings);
}

/** Streams over any back-end, which ends with them. */
export class BackendMsgStreamFactory implements MsgStreamFactory {
  /** For the ticker: which channels have data or readers here. */
  readonly [channelActivity] = new ChannelActivity();
  readonly #backend: LogBackend;
  readonly #points: ResumePoints;
  readonly #rowIds = new RowIds();
  readonly #streams = new Set<MsgStream>();
  #settings: StreamSettings;
  #closing: Promise<void> | undefined;

  constructor(backend: LogBackend, settings: StreamSettings) {
    this.#backend = backend;
    this.#points = new ResumePoints(backend);
    this.#settings = settings;
  }

  setParams(params: StreamOptions): void {
    this.#settings = withOptions(this.#settings, params);
  }

  async newMsgStream(): Promise<MsgStream> {
    return this.#newStream(plainKind(this.#settings));
  }

  async newTtMsgStream(options: TtOptions = {}): Promise<MsgStream> {
    return this.#newStream(ttKind(this.#backend, ttSettings(options)));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    await closeAll(
      () => closeTogether(this.#streams),
      () => this.#backend.close(),
    );
  }

  #newStream(kind: StreamKind): MsgStream {
    if (this.#closing !== undefined) throw new TidemarkError("closed", "the factory is closed: make another one", {});
    const stream = new ChannelStream({
      backend: this.#backend,
      kind,
      settings: this.#settings,
      points: this.#points,
      rowIds: this.#rowIds,
      activity: this[channelActivity],
      onClose: (closed) => this.#streams.delete(closed),
    });
    this.#streams.add(stream);
    return stream;
  }
}
