/**
 * What a writer was asked and what it was told, so that whoever reads beside it can be held to it:
 *
 *     channel "a", its second life      created ✓ · [11 12] ✓ · [13] refused · trim 12 ✓ · [14 15] called
 *     a reader may show                 what was acked before it looked ≤ seen ≤ what was called by the time it was done, whole batches
 */
import { FaultFound } from "../fault-found.js";

/** "called": nobody knows yet. */
export type Told = "called" | "acked" | "refused";

/** One call that appends. */
export interface Batch {
  readonly tags: readonly string[];
  told: Told;
  /** Once it is acked. */
  firstId?: bigint;
  /** Somebody has seen a message of it. */
  seen: boolean;
}

/** A channel from its making to its end. */
export interface Life {
  readonly name: string;
  created: Told;
  destroyed: Told | undefined;
  /** Once the making is acked. */
  firstId?: bigint;
  readonly batches: Batch[];
  readonly trims: { readonly beforeId: bigint; told: Told }[];
}

/** A message as a reader shows it. */
export interface Shown {
  readonly id: bigint;
  readonly tag: string;
}

/** A message that was called for, as far as it is known. */
export interface Due {
  readonly tag: string;
  readonly id: bigint | undefined;
  readonly batch: Batch;
  /** The last one of its batch. */
  readonly isLast: boolean;
}

/** All lives of all channels. */
export class Books {
  readonly lives = new Map<string, Life[]>();
  /** The store has been opened once: it is there. */
  opened = false;
  /** Messages so far: tags are numbered through all lives. */
  messages = 0;
  readonly #tagOfId = new Map<string, string>();

  begin(name: string): Life {
    const life: Life = { name, created: "called", destroyed: undefined, batches: [], trims: [] };
    this.lives.set(name, [...this.of(name), life]);
    return life;
  }

  of(name: string): Life[] {
    return this.lives.get(name) ?? [];
  }

  /** The one whose ids begin there; else one whose making was called and not told of. */
  beginningAt(name: string, firstId: bigint): Life | undefined {
    const lives = this.of(name).filter(({ created }) => created !== "refused");
    return lives.find((life) => life.firstId === firstId) ?? lives.findLast((life) => life.firstId === undefined);
  }

  /** The one that calls now are about. */
  current(name: string): Life | undefined {
    const life = this.of(name).findLast(({ created }) => created !== "refused");
    return life === undefined || (life.destroyed ?? "refused") !== "refused" ? undefined : life;
  }

  /** An id stands for one message for good, over all lives of a name. */
  note(name: string, { id, tag }: Shown): void {
    const known = this.#tagOfId.get(`${name}/${id}`);
    if (known !== undefined && known !== tag) throw new FaultFound(`${name}: id ${id} was ${known} and is now ${tag}`);
    this.#tagOfId.set(`${name}/${id}`, tag);
  }

  /** After a power cut: what was seen and not acked may be gone. */
  forgetSeen(): void {
    for (const life of [...this.lives.values()].flat()) for (const batch of life.batches) batch.seen = false;
  }
}

/** All that may be in a channel, in order: what was not refused. */
export function dueIn(life: Life): Due[] {
  return life.batches
    .filter(({ told }) => told !== "refused")
    .flatMap((batch) =>
      batch.tags.map((tag, at) => ({
        tag,
        id: batch.firstId === undefined ? undefined : batch.firstId + BigInt(at),
        batch,
        isLast: at === batch.tags.length - 1,
      })),
    );
}

/** Marks a message as seen, and finds fault with one that was refused. */
export function see(life: Life, tag: string): void {
  const batch = life.batches.find(({ tags }) => tags.includes(tag));
  if (batch === undefined) throw new FaultFound(`${life.name}: nobody ever produced ${tag} here`);
  if (batch.told === "refused") throw new FaultFound(`${life.name}: ${tag} was refused, and is there`);
  batch.seen = true;
}

/** Tells the outcome of a batch. */
export function tell(batch: Batch, told: Exclude<Told, "called">, firstId?: bigint): void {
  if (told === "refused" && batch.seen) throw new FaultFound(`${batch.tags[0]} was seen by a reader, and is refused`);
  batch.told = told;
  if (firstId !== undefined) batch.firstId = firstId;
}
