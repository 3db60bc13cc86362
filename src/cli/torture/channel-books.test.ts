import { describe, expect, it } from "vitest";
import { ChannelBooks } from "./channel-books.js";
import { payloadOf, saidBy } from "./message.js";

interface Found {
  readonly id: number;
  readonly batch: number;
  readonly at: number;
  readonly of: number;
  readonly producer?: number;
  readonly payload?: Uint8Array;
}

/** Batches 0 to 2 of producer 0 in round 1: ids 10–12, 13–14, 15. */
function heard(): ChannelBooks {
  const books = new ChannelBooks("north");
  for (const [batch, firstId, of] of [
    [0, 10n, 3],
    [1, 13n, 2],
    [2, 15n, 1],
  ] as const)
    expect(books.acked(1, 0, batch, firstId, of)).toBeUndefined();
  return books;
}

const all: readonly Found[] = [
  ...[0, 1, 2].map((at) => ({ id: 10 + at, batch: 0, at, of: 3 })),
  ...[0, 1].map((at) => ({ id: 13 + at, batch: 1, at, of: 2 })),
  { id: 15, batch: 2, at: 0, of: 1 },
];

function problemsOf(books: ChannelBooks, found: readonly Found[], cursor?: bigint): string[] {
  books.beginCheck();
  const problems = found.map(({ id, batch, at, of, producer = 0, payload }) =>
    books.take(BigInt(id), payload ?? payloadOf({ channel: "north", round: 1, producer, batch, at, of, bytes: 80 })),
  );
  return [...problems.filter((problem) => problem !== undefined), ...books.endCheck(cursor)];
}

describe("a tortured channel's books", () => {
  it("find nothing wrong with what was acked, check after check", () => {
    const books = heard();

    expect(problemsOf(books, all)).toEqual([]);
    expect(problemsOf(books, all)).toEqual([]);
  });

  it("let a whole batch be there whose ack nobody heard, and want it from then on", () => {
    const books = heard();
    const more = [...all, { id: 16, batch: 3, at: 0, of: 2 }, { id: 17, batch: 3, at: 1, of: 2 }];

    expect(problemsOf(books, more)).toEqual([]);
    expect(problemsOf(books, all)).toEqual([expect.stringContaining("2 of 2 messages of batch 1.0.3")]);
  });

  it.each<[string, readonly Found[], RegExp]>([
    ["a lost end", all.slice(0, 5), /1 of 1 messages of batch 1\.0\.2/],
    ["a lost batch in the middle", [...all.slice(0, 3), ...all.slice(5)], /2 of 2 messages of batch 1\.0\.1/],
    ["everything lost", [], /3 of 3 messages of batch 1\.0\.0/],
    ["half a batch at the end", [...all, { id: 16, batch: 3, at: 0, of: 2 }], /the end of the last batch, 1\.0\.3, is missing/],
    ["half a batch in the middle", [...all.slice(0, 2), ...all.slice(3)], /the end of the batch before it, 1\.0\.0, is missing/],
    ["a batch without its beginning", [...all.slice(0, 3), ...all.slice(4)], /the beginning of its batch is missing/],
    ["an id twice", [...all, { id: 15, batch: 2, at: 0, of: 1 }], /comes behind 15/],
    ["another id than was acked", [...all.slice(0, 5), { id: 16, batch: 2, at: 0, of: 1 }], /acked with first id 15/],
    ["the wrong order", [{ id: 10, batch: 2, at: 0, of: 1 }], /acked with first id 15/],
    ["one byte wrong", [...all.slice(0, 5), { id: 15, batch: 2, at: 0, of: 1, payload: flipped() }], /not the bytes that were written/],
  ])("see %s", (_, found, expected) => {
    expect(problemsOf(heard(), found).join("; ")).toMatch(expected);
  });

  it("see an id that is given out again, by a later writer too", () => {
    const books = heard();

    expect(books.acked(2, 0, 0, 15n, 1)).toMatch("id 15 was given to batch 2.0.0");
  });

  it("take what was trimmed for gone, and see it when it is back", () => {
    const books = heard();
    books.trimming(13n);
    books.trimmed(13n);

    expect(problemsOf(books, all.slice(3))).toEqual([]);
    expect(problemsOf(books, all).join()).toMatch("it was trimmed, and is back");
  });

  it("let a trim that nobody heard the end of be done or not, but not by half", () => {
    for (const found of [all, all.slice(4)]) {
      const books = heard();
      books.trimming(14n);
      expect(problemsOf(books, found)).toEqual([]);
    }
    const books = heard();
    books.trimming(14n);
    expect(problemsOf(books, all.slice(5)).join()).toMatch("1 of 2 messages of batch 1.0.1");
  });

  it("see a cursor that went back", () => {
    const books = heard();
    books.consumed(12n);

    expect(problemsOf(books, all, 13n)).toEqual([]);
    expect(problemsOf(books, all, 12n)).toEqual([expect.stringContaining("consumed up to 12, and would read 12 next")]);
    expect(problemsOf(books, all)).toEqual([expect.stringContaining("from the beginning")]);
  });
});

describe("a message of the torture test", () => {
  it("says which it is, unless a byte of it is wrong", () => {
    const said = { channel: "north", round: 3, producer: 1, batch: 7, at: 0, of: 2, bytes: 100 };
    const payload = payloadOf(said);

    expect(saidBy(payload)).toEqual(said);
    for (let at = 0; at < payload.length; at++) {
      const wrong = Buffer.from(payload);
      wrong[at] = (wrong[at] ?? 0) ^ 1;
      const found = saidBy(wrong);
      // A digit of the label may turn into another one: then the filler gives it away, or it is another message.
      if (found !== undefined) expect(found).not.toEqual(said);
    }
    expect(saidBy(payload.subarray(1))).toBeUndefined();
    expect(saidBy(new Uint8Array(0))).toBeUndefined();
  });
});

function flipped(): Uint8Array {
  const payload = payloadOf({ channel: "north", round: 1, producer: 0, batch: 2, at: 0, of: 1, bytes: 80 });
  payload[70] = (payload[70] ?? 0) ^ 1;
  return payload;
}
