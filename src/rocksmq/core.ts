/**
 * What all parts of an open queue share: its engine, its order of calls, its lines and waiters, and whether it still takes calls.
 *
 *     call ─▶ (order) ─▶ engine ─▶ disk
 *                          │ events
 *                          ▼
 *                  waiters · listeners · loops
 */
import type { Clock } from "../base/clock.js";
import { closeAll } from "../base/close-all.js";
import type { Logger } from "../base/logger.js";
import type { Metrics } from "../base/metrics.js";
import type { IdAllocator } from "../meta/index.js";
import type { Engine, EngineEvent } from "../storage/index.js";
import { CallOrder } from "./call-order.js";
import { CursorLines } from "./cursor-lines.js";
import type { Retention } from "./door.js";
import { Events } from "./events.js";
import { GroupRecords } from "./group-record.js";
import { Lookout } from "./lookout.js";
import { PendingBytes } from "./pending-bytes.js";
import { QueueMetrics } from "./queue-metrics.js";
import { closedError, readOnlyError, stoppedError } from "./refusals.js";
import { RetentionKeeper } from "./retention-keeper.js";
import { Waiters } from "./waiters.js";

/** What a queue over an engine needs to know; all of it checked. */
export interface QueueSettings {
  readonly dir: string;
  readonly maxMessageBytes: number;
  readonly maxPendingBytes: number;
  readonly ids: IdAllocator | undefined;
  /** Of channels without their own. */
  readonly retention: Retention;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** The shared state of one open queue. */
export class Core {
  readonly engine: Engine;
  /** Of the store. */
  readonly dir: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly ids: IdAllocator | undefined;
  readonly maxMessageBytes: number;
  /** Of channels without their own. */
  readonly retention: Retention;
  readonly keeper: RetentionKeeper;
  readonly order: CallOrder;
  readonly lookout: Lookout;
  readonly pending: PendingBytes;
  readonly metrics: QueueMetrics;
  readonly waiters = new Waiters();
  readonly lines = new CursorLines();
  readonly groups = new GroupRecords();
  readonly events: Events;
  /** Ends of the loops that are open. */
  readonly loops = new Set<{ end(): void }>();
  /** For those who hold the queue and make no call in which they would find it closed. */
  readonly #ended = new AbortController();
  /** What `orClosed` has to end. */
  readonly #cuts = new Set<() => void>();
  #closed = false;
  #closing: Promise<void> | undefined;
  /** Calls that have not settled. */
  #calls = 0;
  #onIdle: () => void = () => undefined;

  constructor(engine: Engine, settings: QueueSettings) {
    this.engine = engine;
    this.dir = settings.dir;
    this.clock = settings.clock;
    this.logger = settings.logger;
    this.ids = settings.ids;
    this.maxMessageBytes = settings.maxMessageBytes;
    this.retention = settings.retention;
    this.order = new CallOrder(engine);
    this.lookout = new Lookout(engine, settings.clock);
    this.pending = new PendingBytes(settings.maxPendingBytes);
    this.metrics = new QueueMetrics(settings.metrics);
    this.events = new Events(settings.clock);
    const { clock, logger, events } = this;
    this.keeper = new RetentionKeeper({ engine, clock, logger, events, usual: settings.retention });
    engine.listen((event) => this.#onEvent(event));
    if (engine.recovered !== undefined) this.events.emitStanding({ type: "recovered", ...engine.recovered });
  }

  get closed(): boolean {
    return this.#closed;
  }

  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Runs a call that `close` waits for. @throws `closed` */
  async call<T>(run: () => Promise<T>): Promise<T> {
    this.enter();
    try {
      return await run();
    } finally {
      this.leave();
    }
  }

  /** Begins a call; it owes a `leave`. @throws `closed` */
  enter(): void {
    this.refuseCalls();
    this.#calls += 1;
  }

  leave(): void {
    this.#calls -= 1;
    if (this.#calls === 0) this.#onIdle();
  }

  /** @throws `closed` */
  refuseCalls(): void {
    if (this.#closed) throw closedError("queue");
  }

  /** For whatever writes, once its arguments are good; a cursor that moves is written too. @throws `read-only` */
  refuseChanges(): void {
    if (this.engine.readOnly) throw readOnlyError();
  }

  /** For those about to wait. @throws `closed`; `io-failed` once the store has stopped */
  refuseWaits(): void {
    this.refuseCalls();
    if (this.engine.failure !== undefined) throw stoppedError(this.engine.failure);
  }

  /** What `promise` becomes, or `closed` once the queue closes: for answers from outside, which may never come. */
  orClosed<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const cut = (): void => reject(closedError("queue"));
      this.#cuts.add(cut);
      const settle = (how: () => void): void => {
        this.#cuts.delete(cut);
        how();
      };
      promise.then(
        (value) => settle(() => resolve(value)),
        (error: unknown) => settle(() => reject(error)),
      );
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // First of all, so that whoever is woken by what follows finds it closed.
    this.#closed = true;
    for (const loop of this.loops) loop.end();
    const told = this.events.close();
    this.#ended.abort(closedError("queue"));
    for (const cut of this.#cuts) cut();
    this.waiters.ringAll();
    if (this.#calls > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    await closeAll(
      () => told,
      () => this.keeper.close(),
      () => this.engine.close(),
    );
  }

  #onEvent(event: EngineEvent): void {
    switch (event.type) {
      case "appended":
        this.waiters.ring(event.channel.name);
        this.keeper.appended(event.channel);
        break;
      case "destroyed":
        this.waiters.ring(event.channel.name);
        this.keeper.destroyed(event.channel);
        break;
      case "trimmed":
        this.keeper.trimmed(event.channel);
        this.events.emit({ type: "trimmed", channel: event.channel.name, beginId: event.beginId, bytes: event.bytes });
        break;
      case "compacted":
        this.events.emit({ type: "compacted", segments: event.segments, bytesFreed: event.bytesFreed });
        break;
      case "failed":
        this.events.emitStanding({ type: "failed", error: event.error });
        this.waiters.ringAll();
        break;
      default:
        event satisfies never;
    }
  }
}
