/**
 * A process that only reads, and holds what it sees against the books.
 *
 *     look ─▶ every channel read from its begin ─▶ whole batches, in order, nothing missing that was acked before the look
 *          └▶ tails, which read on where they stopped ─▶ never a gap but by position-trimmed
 */
import type { ChannelView, Engine } from "../../../src/storage/index.js";
import type { MemoryVfs } from "../../../src/testing/index.js";
import { FaultFound } from "../fault-found.js";
import type { StorageRoom } from "../mutants/test-build.js";
import { directory } from "../script-run.js";
import { payloadOf } from "../store-state.js";
import { Actor, type Split } from "./actor.js";
import { dueIn, see, type Books, type Life, type Shown } from "./books.js";
import { Expectation } from "./expectation.js";

/** The part of the storage room that only reads. */
export type ReadingRoom = Pick<StorageRoom, "openReadOnlySegmentEngine" | "inspectSegmentStore">;

/** What a reader is. */
export interface ReaderOptions {
  readonly disk: MemoryVfs;
  readonly books: Books;
  readonly split: Split;
  readonly room: ReadingRoom;
}

/** Reads on in one channel, as a `follow` does. */
interface Tail {
  readonly view: ChannelView;
  readonly reader: ReturnType<Engine["reader"]>;
  readonly life: Life;
  next: bigint;
  /** The last one handed over; undefined when there is none, or what came behind it was trimmed. */
  last: string | undefined;
}

/** Looks again and again. */
export class Reader {
  readonly actor: Actor;
  readonly #o: ReaderOptions;
  #engine: Engine | undefined;
  readonly #tails = new Map<string, Tail>();
  /** Looks that came to their end. */
  looks = 0;

  constructor(o: ReaderOptions) {
    this.#o = o;
    this.actor = new Actor("reader", o.disk, o.split);
  }

  /** Begins the next look; the one before must be done. */
  begin(): void {
    this.actor.begin(() => this.#naming(() => this.#look()));
  }

  /** Begins a look by a new process, which goes when it is done. */
  beginAnew(): void {
    this.actor.begin(() => this.#naming(() => this.#lookAnew()));
  }

  /** Begins an inspection. */
  beginInspection(): void {
    this.actor.begin(() => this.#naming(() => this.#inspect()));
  }

  async #look(): Promise<void> {
    const expected = new Expectation(this.#o.books);
    this.#engine ??= await this.#open();
    if (this.#engine === undefined) return;
    await this.#engine.settled();
    for (const [name, tail] of this.#tails) if (!(await this.#readOn(tail))) this.#tails.delete(name);
    await this.#readAll(this.#engine, expected);
    this.#followNew(this.#engine);
    this.looks += 1;
  }

  async #lookAnew(): Promise<void> {
    const expected = new Expectation(this.#o.books);
    const engine = await this.#open();
    if (engine === undefined) return;
    await this.#readAll(engine, expected);
    await engine.close();
    this.looks += 1;
  }

  async #inspect(): Promise<void> {
    const { room, books } = this.#o;
    const { opened } = books;
    try {
      const { problems } = await room.inspectSegmentStore(this.actor.vfs, directory, { verify: true });
      const [first] = problems;
      if (first !== undefined) throw new FaultFound(`inspect: ${first.file} at ${first.offset}: ${first.what}`);
    } catch (error) {
      // Nor need there be a directory before there is a store.
      if (opened || !(isCode(error, "invalid-argument") || isCode(error, "ENOENT"))) throw error;
    }
  }

  /** Undefined while there is no store. */
  async #open(): Promise<Engine | undefined> {
    const { opened } = this.#o.books;
    try {
      return await this.#o.room.openReadOnlySegmentEngine({ dir: directory, vfs: this.actor.vfs });
    } catch (error) {
      if (!opened && isCode(error, "invalid-argument")) return undefined;
      throw error;
    }
  }

  async #readAll(engine: Engine, expected: Expectation): Promise<void> {
    for (const name of expected.names()) {
      const view = engine.channel(name);
      const messages = view === undefined ? undefined : await this.#readChannel(engine, view);
      // Destroyed or trimmed in the middle of it: another look's business.
      if (view !== undefined && messages === undefined) continue;
      const channel = view === undefined || messages === undefined ? undefined : { view, messages };
      const life = expected.check(name, channel);
      for (const { tag } of messages ?? []) if (life !== undefined) see(life, tag);
    }
  }

  async #readChannel(engine: Engine, view: ChannelView): Promise<Shown[] | undefined> {
    const all: Shown[] = [];
    const reader = engine.reader(view);
    const { beginId } = view;
    for (let from = beginId; ;) {
      const batch = await this.#read(view, () => reader.read(from, 7, 1500));
      if (batch === undefined) return undefined;
      const last = batch.at(-1);
      if (last === undefined && view.beginId !== beginId) return undefined;
      if (last === undefined && view.endId !== from)
        throw new FaultFound(`${view.name}: ends at ${view.endId}, and shows nothing from ${from} on`);
      if (last === undefined) return all;
      all.push(...batch);
      from = last.id + 1n;
    }
  }

  /** False when its channel is gone. */
  async #readOn(tail: Tail): Promise<boolean> {
    for (;;) {
      const batch = await this.#read(tail.view, () => tail.reader.read(tail.next, 3, 400));
      if (batch === undefined && tail.view.destroyed) return false;
      if (batch === undefined) {
        tail.next = tail.view.beginId;
        tail.last = undefined;
        continue;
      }
      if (batch.length === 0) return true;
      for (const message of batch) take(tail, message);
    }
  }

  /** Undefined when it was told of a trim or a destroy, which must have been called. */
  async #read(
    view: ChannelView,
    read: () => Promise<readonly { readonly id: bigint; readonly payload: Uint8Array }[]>,
  ): Promise<Shown[] | undefined> {
    try {
      const shown = (await read()).map(({ id, payload }) => ({ id, tag: checkedTag(view.name, id, payload) }));
      for (const message of shown) this.#o.books.note(view.name, message);
      return shown;
    } catch (error) {
      if ((isCode(error, "position-trimmed") && view.beginId > view.firstId) || (isCode(error, "channel-not-found") && view.destroyed))
        return undefined;
      throw error;
    }
  }

  #followNew(engine: Engine): void {
    for (const view of engine.channels()) {
      const known = this.#tails.get(view.name);
      const life = this.#o.books.beginningAt(view.name, view.firstId);
      if (known?.view === view || life === undefined) continue;
      this.#tails.set(view.name, { view, reader: engine.reader(view), life, next: view.beginId, last: undefined });
    }
  }

  async #naming(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof FaultFound || !(error instanceof Error)) throw error;
      throw new FaultFound(`a reader was told: ${"code" in error ? String(error.code) : error.name}: ${error.message}`, { cause: error });
    }
  }
}

function take(tail: Tail, { id, tag }: Shown): void {
  const due = dueIn(tail.life);
  const at = due.findIndex((one) => one.tag === tag);
  if (id < tail.next) throw new FaultFound(`${tail.view.name}: the tail was given ${id} where ${tail.next} or a higher one was due`);
  const before = due[at - 1]?.tag;
  if (tail.last !== undefined && before !== tail.last)
    throw new FaultFound(`${tail.view.name}: behind ${tail.last} the tail was given ${tag}: skipped ${before}`);
  see(tail.life, tag);
  tail.next = id + 1n;
  tail.last = tag;
}

function checkedTag(channel: string, id: bigint, payload: Uint8Array): string {
  const tag = Buffer.from(payload).toString("latin1").split("|", 1)[0] ?? "";
  const due = tag.startsWith(`${channel}#`) ? payloadOf(tag) : undefined;
  if (due !== undefined && Buffer.compare(due, payload) === 0) return tag;
  throw new FaultFound(`${channel}: message ${id} has bytes that nobody wrote there: ${JSON.stringify(tag.slice(0, 40))}`);
}

/** Also of a class that another build of the same source made. */
function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
