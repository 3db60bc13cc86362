/**
 * The books over all rounds: hears every line of every writer, and says what is wrong with what is found after a kill.
 */
import type { RocksMq } from "../../rocksmq/index.js";
import { isTidemarkError } from "../../rocksmq/index.js";
import { ChannelBooks, type Problem } from "./channel-books.js";
import { channels, comingAndGoing, group } from "./torture-queue.js";

/** Counts of what was heard. */
export interface Heard {
  acks: number;
  messages: number;
  bytes: number;
  /** Opens that found the queue not closed. */
  recoveries: number;
  droppedBytes: number;
}

/** Everything that the test knows. */
export class TortureBooks {
  readonly heard: Heard = { acks: 0, messages: 0, bytes: 0, recoveries: 0, droppedBytes: 0 };
  /** What was wrong with a line itself. */
  readonly problems: Problem[] = [];
  readonly #channels = new Map(channels.map((name): [string, ChannelBooks] => [name, new ChannelBooks(name)]));
  /** Of the channel that comes and goes. */
  #isThere: "yes" | "no" | "unknown" = "no";
  /** Channels whose making was heard of. */
  readonly #made = new Set<string>();

  /** One whole line of the writer of a round. */
  hear(line: string, round: number): void {
    const [what = "", name = "", ...rest] = line.split(" ");
    const books = this.#channels.get(name);
    if (books !== undefined) this.#made.add(name);
    const id = BigInt(rest[0] ?? 0);
    if (what === "acked" && books !== undefined) return this.#acked(books, round, rest);
    if (what === "open") return this.opened(name === "-" ? undefined : Number(name));
    if (what === "consumed") return books?.consumed(id);
    if (what === "trimming") return books?.trimming(id);
    if (what === "trimmed") return books?.trimmed(id);
    this.#isThere = what === "made" ? "yes" : what === "destroyed" ? "no" : "unknown";
  }

  /** An open that had to drop so many bytes; undefined after a clean close. */
  opened(droppedBytes: number | undefined): void {
    if (droppedBytes === undefined) return;
    this.heard.recoveries += 1;
    this.heard.droppedBytes += droppedBytes;
  }

  /** Reads everything and compares. Resolves with what is wrong, and how many messages were read. */
  async check(mq: RocksMq): Promise<{ readonly problems: readonly Problem[]; readonly messages: number }> {
    const problems: Problem[] = [];
    const names = await mq.channels();
    const isThere = names.includes(comingAndGoing);
    if (this.#isThere === "yes" && !isThere) problems.push(`channel ${comingAndGoing} was made, and is not there`);
    if (this.#isThere === "no" && isThere) problems.push(`channel ${comingAndGoing} was destroyed, and is there`);
    let messages = 0;
    for (const [name, books] of this.#channels) {
      if (names.includes(name)) messages += await checkChannel(mq, books, problems);
      else if (this.#made.has(name)) problems.push(`channel ${name} is not there, and messages were acked on it`);
    }
    return { problems, messages };
  }

  /** Messages acked, or found once, and not trimmed. */
  get dueMessages(): number {
    return [...this.#channels.values()].reduce((sum, books) => sum + books.dueMessages, 0);
  }

  #acked(books: ChannelBooks, round: number, [producer, batch, firstId, of, bytes]: readonly string[]): void {
    this.heard.acks += 1;
    this.heard.messages += Number(of);
    this.heard.bytes += Number(of) * Number(bytes);
    const problem = books.acked(round, Number(producer), Number(batch), BigInt(firstId ?? 0), Number(of));
    if (problem !== undefined) this.problems.push(problem);
  }
}

async function checkChannel(mq: RocksMq, books: ChannelBooks, problems: Problem[]): Promise<number> {
  let read = 0;
  books.beginCheck();
  try {
    for await (const messages of mq.read(books.name, { from: "earliest" })) {
      for (const { id, payload } of messages) {
        const problem = books.take(id, payload);
        if (problem !== undefined) problems.push(problem);
      }
      read += messages.length;
    }
  } catch (error) {
    if (!isTidemarkError(error, "corrupt")) throw error;
    problems.push(error.message);
  }
  const { groups } = await mq.describeChannel(books.name);
  problems.push(...books.endCheck(groups.find((one) => one.group === group)?.currentId));
  return read;
}
