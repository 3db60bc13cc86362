/**
 * One channel's books: what its producers were told over all rounds, and whether what is found there can be that.
 *
 *     told        [acked 41–48] [acked 49–50] [acked 51–58]   trimmed 45
 *     found                 45 46 47 48 49 50 51 … 58 [59 60]            59 and 60 are there without an ack that reached anybody: whole, and fine
 */
import { saidBy, type Said } from "./message.js";

interface KnownBatch {
  readonly label: string;
  readonly firstId: bigint;
  readonly of: number;
  /** Found at the check that is under way. */
  found: number;
}

/** What is wrong, in a sentence. */
export type Problem = string;

/** Told in the order in which it is heard; checked against what a reader finds, again and again. */
export class ChannelBooks {
  readonly name: string;
  /** Batches that must be there: acked, or found once. By their labels, in the order of their ids. */
  readonly #due = new Map<string, KnownBatch>();
  #highestId = -1n;
  /** Messages below are gone for good. */
  #trimmed = 0n;
  /** A trim that was asked for last; whether it was done is not known. */
  #trimming = 0n;
  #consumed = -1n;
  #check = new Check();

  constructor(name: string) {
    this.name = name;
  }

  /** @returns what is wrong with the ack itself */
  acked(round: number, producer: number, batch: number, firstId: bigint, of: number): Problem | undefined {
    const label = `${round}.${producer}.${batch}`;
    const highest = this.#highestId;
    this.#highestId = firstId + BigInt(of) - 1n;
    this.#due.set(label, { label, firstId, of, found: 0 });
    return firstId > highest ? undefined : `${this.name}: id ${firstId} was given to batch ${label} when ${highest} had been given out`;
  }

  consumed(id: bigint): void {
    this.#consumed = id;
  }

  trimming(beforeId: bigint): void {
    this.#trimming = beforeId;
  }

  trimmed(beforeId: bigint): void {
    this.#trimmed = beforeId;
  }

  /** A reader goes through the channel from its begin on. */
  beginCheck(): void {
    this.#check = new Check();
    for (const batch of this.#due.values()) batch.found = 0;
  }

  /** @returns what is wrong with this message */
  take(id: bigint, payload: Uint8Array): Problem | undefined {
    const where = `${this.name}, id ${id}`;
    const said = saidBy(payload);
    if (said?.channel !== this.name) return `${where}: these are not the bytes that were written`;
    if (id < this.#trimmed) return `${where}: it was trimmed, and is back`;
    const problem = this.#check.follow(id, said);
    if (problem !== undefined) return `${where}: ${problem}`;
    const label = labelOf(said);
    const firstId = id - BigInt(said.at);
    const known = this.#due.get(label);
    if (known === undefined && firstId <= this.#highestId && said.at === 0)
      return `${where}: batch ${label} stands below ids that were given out before it`;
    if (known !== undefined && known.firstId !== firstId) return `${where}: batch ${label} was acked with first id ${known.firstId}`;
    const batch = known ?? this.#check.unheard.get(label) ?? { label, firstId, of: said.of, found: 0 };
    batch.found += 1;
    if (known === undefined) this.#check.unheard.set(label, batch);
    return undefined;
  }

  /**
   * The reader has come to the end.
   *
   * @param cursor where the group stands; undefined when it has never read here
   * @returns everything that is missing
   */
  endCheck(cursor: bigint | undefined): Problem[] {
    const { firstId, unheard, half } = this.#check;
    const problems = half === undefined ? [] : [`${this.name}: ${half}`];
    for (const batch of [...this.#due.values(), ...unheard.values()]) problems.push(...this.#missingIn(batch, firstId));
    if (this.#consumed >= 0n && (cursor ?? 0n) <= this.#consumed) {
      problems.push(`${this.name}: the group had consumed up to ${this.#consumed}, and would read ${cursor ?? "from the beginning"} next`);
    }
    this.#settle();
    return problems;
  }

  /** Messages that must be there. */
  get dueMessages(): number {
    return [...this.#due.values()].reduce((sum, { of }) => sum + of, 0);
  }

  #missingIn({ label, firstId, of, found }: KnownBatch, begin: bigint | undefined): Problem[] {
    // A trim that nobody heard the end of may have been done: then the channel begins there.
    const isTrimDone = this.#trimming > this.#trimmed && (begin === undefined || begin >= this.#trimming);
    const from = isTrimDone ? this.#trimming : this.#trimmed;
    const trimmed = firstId >= from ? 0 : Math.min(of, Number(from - firstId));
    const missing = of - trimmed - found;
    return missing <= 0
      ? []
      : [
          `${this.name}: ${missing} of ${of} messages of batch ${label}, acked as ids ${firstId} to ${firstId + BigInt(of) - 1n}, are missing`,
        ];
  }

  /** What was found stays; what was trimmed is forgotten. */
  #settle(): void {
    const { firstId, unheard } = this.#check;
    if (this.#trimming > this.#trimmed && (firstId === undefined || firstId >= this.#trimming)) this.#trimmed = this.#trimming;
    this.#trimming = this.#trimmed;
    for (const [label, batch] of unheard) this.#due.set(label, batch);
    for (const [label, { firstId: first, of }] of this.#due) {
      const lastId = first + BigInt(of) - 1n;
      if (lastId > this.#highestId) this.#highestId = lastId;
      if (lastId < this.#trimmed) this.#due.delete(label);
    }
  }
}

/** One reading of the channel. */
class Check {
  firstId: bigint | undefined;
  /** Batches found without an ack that was heard. */
  readonly unheard = new Map<string, KnownBatch>();
  #last: { readonly id: bigint; readonly said: Said } | undefined;
  /** By producer and round, the batch found last. */
  readonly #batches = new Map<string, number>();

  /** Undefined when it can come behind what came before it. */
  follow(id: bigint, said: Said): string | undefined {
    const last = this.#last;
    this.firstId ??= id;
    this.#last = { id, said };
    if (last !== undefined && id <= last.id) return `it comes behind ${last.id}`;
    // A trim may have cut the first batch.
    if (said.at > 0) return last === undefined || isInBatch(last, id, said) ? undefined : "the beginning of its batch is missing";
    if (last !== undefined && last.said.at !== last.said.of - 1) return `the end of the batch before it, ${labelOf(last.said)}, is missing`;
    const producer = `${said.round}.${said.producer}`;
    const before = this.#batches.get(producer);
    this.#batches.set(producer, said.batch);
    // A producer waits for each ack, so its batches stand in order, without a gap.
    return before === undefined || said.batch === before + 1
      ? undefined
      : `batch ${labelOf(said)} comes behind batch ${before} of the same producer`;
  }

  /** What is wrong with the last batch; undefined when it is whole. */
  get half(): string | undefined {
    const said = this.#last?.said;
    return said === undefined || said.at === said.of - 1 ? undefined : `the end of the last batch, ${labelOf(said)}, is missing`;
  }
}

function labelOf({ round, producer, batch }: Said): string {
  return `${round}.${producer}.${batch}`;
}

function isInBatch(last: { readonly id: bigint; readonly said: Said }, id: bigint, said: Said): boolean {
  return labelOf(last.said) === labelOf(said) && last.id + 1n === id && last.said.at + 1 === said.at && last.said.of === said.of;
}
