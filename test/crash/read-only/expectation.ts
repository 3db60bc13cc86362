/**
 * What a look must show: at least what was acked when it began, at most what was called by the time it is done.
 */
import type { ChannelView } from "../../../src/storage/index.js";
import { FaultFound } from "../fault-found.js";
import { dueIn, type Books, type Due, type Life, type Shown } from "./books.js";

/** A channel as a reader shows it. */
export interface ShownChannel {
  readonly view: ChannelView;
  /** From its begin to its end. */
  readonly messages: readonly Shown[];
}

/** A life as it was when the look began. */
interface Before {
  readonly isMade: boolean;
  readonly isGone: boolean;
  /** Batches that were acked. */
  readonly acked: ReadonlySet<Due["batch"]>;
  readonly trimmedTo: bigint;
}

/** Taken at the beginning of a look. */
export class Expectation {
  readonly #books: Books;
  readonly #before = new Map<Life, Before>();

  constructor(books: Books) {
    this.#books = books;
    for (const life of [...books.lives.values()].flat()) this.#before.set(life, beforeOf(life));
  }

  names(): string[] {
    return [...this.#books.lives.keys()];
  }

  /** Which life it is that is shown. @throws `FaultFound` when that can't be */
  check(name: string, channel: ShownChannel | undefined): Life | undefined {
    const lives = this.#books.of(name).filter(({ created }) => created !== "refused");
    if (channel === undefined) {
      const missing = lives.find((life) => this.#before.get(life)?.isMade === true && life.destroyed === undefined);
      if (missing !== undefined) throw new FaultFound(`${name}: is not there, and was made before the look`);
      return undefined;
    }
    const life = this.#books.beginningAt(name, channel.view.firstId);
    if (life === undefined) throw new FaultFound(`${name}: is there with first id ${channel.view.firstId}, and nobody made that`);
    const before = this.#before.get(life);
    if (before?.isGone === true) throw new FaultFound(`${name}: is there, and was destroyed before the look`);
    checkMessages(life, before, channel);
    return life;
  }
}

function beforeOf(life: Life): Before {
  return {
    isMade: life.created === "acked",
    isGone: life.destroyed === "acked",
    acked: new Set(life.batches.filter(({ told }) => told === "acked")),
    trimmedTo: life.trims.reduce((most, { beforeId, told }) => (told === "acked" && beforeId > most ? beforeId : most), 0n),
  };
}

function checkMessages(life: Life, before: Before | undefined, { view, messages }: ShownChannel): void {
  const { name, beginId } = view;
  const due = dueIn(life);
  const isTrim = life.trims.some((trim) => trim.beforeId === beginId && trim.told !== "refused");
  if (beginId !== view.firstId && !isTrim) throw new FaultFound(`${name}: begins at ${beginId}, and nobody trimmed it there`);
  if (beginId < (before?.trimmedTo ?? 0n)) throw new FaultFound(`${name}: begins at ${beginId}, and was trimmed to ${before?.trimmedTo}`);
  const start = messages[0] === undefined ? undefined : due.findIndex(({ tag }) => tag === messages[0]?.tag);
  if (start === -1) throw new FaultFound(`${name}: begins with ${messages[0]?.tag}, which was not to be there`);
  const shown = start === undefined ? [] : due.slice(start, start + messages.length);
  for (const [at, message] of messages.entries()) {
    const one = shown[at];
    if (one?.tag !== message.tag) throw new FaultFound(`${name}: message ${at} is ${message.tag}, not ${one?.tag}`);
    if (one.id !== undefined && one.id !== message.id) throw new FaultFound(`${name}: ${message.tag} has id ${message.id}, not ${one.id}`);
  }
  if (shown.at(-1)?.isLast === false) throw new FaultFound(`${name}: ends with ${shown.at(-1)?.tag}, in the middle of a batch`);
  const missing = due.find(
    (one, at) => mustBeShown(one, before, beginId) && (start === undefined || at < start || at >= start + messages.length),
  );
  if (missing !== undefined) throw new FaultFound(`${name}: ${missing.tag} was acked before the look, and is not there`);
}

function mustBeShown({ batch, id }: Due, before: Before | undefined, beginId: bigint): boolean {
  return before?.acked.has(batch) === true && id !== undefined && id >= beginId;
}
