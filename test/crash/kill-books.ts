/**
 * What a killed writer had been told, over all its lives, and what its store must show for it.
 */
import type { ConsumerMessage, RocksMq } from "../../src/rocksmq/index.js";
import { FaultFound } from "./fault-found.js";

interface Books {
  /** What is known to stand under an id: told by an ack, or read after a restart. */
  readonly known: Map<bigint, string>;
  /** Ids of acked messages that no trim was to take. */
  readonly acked: Set<bigint>;
  /** Every id up to here has been used. */
  highest: bigint;
  /** Trims that were asked for, and that were acked. */
  trimming: bigint;
  trimmed: bigint;
  consumed: bigint;
  /** Where it began when it was looked at last. */
  begun: bigint;
}

/** The figures of all rounds. A message lost, a batch torn or an id used twice ends them: no such figure is ever above 0. */
export interface KillFigures {
  rounds: number;
  acked: number;
  /** Messages found that nobody was told of: whole batches, all of them. */
  unacked: number;
  /** Segments that were compacted. */
  compacted: number;
  readonly lost: 0;
  readonly torn: 0;
  readonly repeatedIds: 0;
}

/** Keeps the books of one store. */
export class KillBooks {
  readonly figures: KillFigures = { rounds: 0, acked: 0, unacked: 0, compacted: 0, lost: 0, torn: 0, repeatedIds: 0 };
  readonly #channels = new Map<string, Books>();
  readonly #isKept: boolean;

  /** @param o whether channels have a retention: then what was consumed may go, and nobody asks for it */
  constructor(o: { readonly isKept: boolean } = { isKept: false }) {
    this.#isKept = o.isKept;
  }

  /** One line of the writer. */
  note(line: string): void {
    const [what = "", channel = "", ...rest] = line.split(" ");
    const books = this.#of(channel);
    if (what === "acked") this.#acked(books, rest);
    if (what === "trimming") books.trimming = BigInt(rest[0] ?? 0);
    if (what === "trimmed") books.trimmed = BigInt(rest[0] ?? 0);
    if (what === "consumed") books.consumed = BigInt(rest[0] ?? 0);
    if (what === "compacted") this.figures.compacted += Number(channel);
  }

  /** Compares with a reopened store, and takes over what is found there. */
  async compare(mq: RocksMq): Promise<void> {
    this.figures.rounds += 1;
    // Whatever is in "gone" came and goes.
    for (const channel of await mq.channels()) if (channel !== "gone") await this.#compare(mq, channel, this.#of(channel));
    const missing = [...this.#channels].find(([, books]) => books.acked.size > 0);
    if (missing !== undefined) throw new FaultFound(`channel ${missing[0]} is gone, and with it ${missing[1].acked.size} acked messages`);
  }

  #acked(books: Books, [batch = "", firstId = "0", count = "0", size = "0"]: readonly string[]): void {
    if (BigInt(firstId) <= books.highest) throw new FaultFound(`id ${firstId} was given out after ${books.highest} had been seen`);
    for (let index = 0; index < Number(count); index += 1) {
      const id = BigInt(firstId) + BigInt(index);
      books.known.set(id, `${batch} ${index}/${count} ${size}`);
      books.acked.add(id);
      books.highest = id;
    }
    this.figures.acked += Number(count);
  }

  async #compare(mq: RocksMq, channel: string, books: Books): Promise<void> {
    const { beginId, groups } = await mq.describeChannel(channel);
    if (beginId < books.trimmed || beginId > books.trimming) {
      const bounds = `${books.trimmed} and ${books.trimming}`;
      if (books.trimming > 0n) throw new FaultFound(`${channel} begins at ${beginId}, trims were acked and asked for at ${bounds}`);
    }
    const cursor = groups.find(({ group }) => group === "group")?.currentId ?? 0n;
    if (this.#isKept) {
      if (beginId < books.begun) throw new FaultFound(`${channel} begins at ${beginId}, and began at ${books.begun} before`);
      if (cursor > 0n && beginId > cursor) throw new FaultFound(`${channel} begins at ${beginId}, and ${cursor} was not read yet`);
      books.begun = beginId;
    }
    if (cursor <= books.consumed && books.consumed > 0n)
      throw new FaultFound(`${channel}: id ${books.consumed} was consumed, the cursor is ${cursor}`);
    const found = new Map<bigint, string>();
    for await (const messages of mq.read(channel, { from: "earliest" })) {
      for (const message of messages) found.set(message.id, labelOf(channel, message));
    }
    for (const id of books.acked) if (id >= beginId && !found.has(id)) throw new FaultFound(`${channel}: acked message ${id} is lost`);
    this.#takeOver(channel, books, found);
    books.acked.clear();
    for (const id of books.known.keys()) if (id < beginId) books.known.delete(id);
  }

  #takeOver(channel: string, books: Books, found: ReadonlyMap<bigint, string>): void {
    const beforeHighest = books.highest;
    for (const [id, label] of found) {
      const known = books.known.get(id);
      if (known !== undefined && known !== label) throw new FaultFound(`${channel}: id ${id} was ${known} and is now ${label}`);
      // Acks on a channel come in the order of the calls: what was in flight stands behind all that was acked.
      if (known === undefined && id < beforeHighest) throw new FaultFound(`${channel}: id ${id} turned up below ${beforeHighest}`);
      if (known === undefined) this.#unacked(channel, id, label, found);
      books.known.set(id, label);
      if (id > books.highest) books.highest = id;
    }
  }

  /** A batch that nobody was told of must be whole. */
  #unacked(channel: string, id: bigint, label: string, found: ReadonlyMap<bigint, string>): void {
    const [batch = "", part = "", size = ""] = label.split(" ");
    const [index = 0, count = 0] = part.split("/").map(Number);
    this.figures.unacked += 1;
    for (let other = 0; other < count; other += 1) {
      const there = found.get(id + BigInt(other - index));
      if (there !== `${batch} ${other}/${count} ${size}`) throw new FaultFound(`${channel}: batch ${batch} is torn at ${other}: ${there}`);
    }
  }

  #of(channel: string): Books {
    let books = this.#channels.get(channel);
    if (books === undefined) {
      books = { known: new Map(), acked: new Set(), highest: -1n, trimming: 0n, trimmed: 0n, consumed: 0n, begun: 0n };
      if (channel !== "") this.#channels.set(channel, books);
    }
    return books;
  }
}

function labelOf(channel: string, message: ConsumerMessage): string {
  const text = Buffer.from(message.payload).toString("latin1");
  const label = text.replace(/\.*$/, "");
  if (text !== label.padEnd(Number(label.split(" ").at(-1)), "."))
    throw new FaultFound(`${channel}: message ${message.id} has wrong bytes`);
  return label;
}
