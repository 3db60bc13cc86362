import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import type { RetainedBatch } from "../storage/index.js";
import type { Retention } from "./door.js";
import { planRetention, type RetentionCase, type RetentionPlan } from "./retention-plan.js";

/** Batches of ten messages and 100 bytes, ids from 0 on, one a second from second 0 on. */
const batches: readonly RetainedBatch[] = [0n, 10n, 20n, 30n, 40n].map((firstId, at) => ({
  firstId,
  lastId: firstId + 9n,
  timeMs: at * 1000,
  bytes: 100,
}));

function plan(retention: Retention, cursors: Record<string, bigint> = {}, nowMs = 4000): RetentionPlan {
  const places = Object.entries(cursors).map(([group, currentId]) => ({ group, currentId }));
  return planRetention({ batches, bytes: 500, nowMs, retention, cursors: places });
}

describe("what goes by retention", () => {
  it("is what has come of age, and no more", () => {
    expect(plan({ ageMs: 3000 })).toMatchObject({ beforeId: 20n, bytes: 200, nextMs: 5000, isCutOff: false });
    expect(plan({ ageMs: 4001 })).toMatchObject({ beforeId: undefined, bytes: 0, nextMs: 4001 });
    expect(plan({ ageMs: 0 })).toMatchObject({ beforeId: 50n, bytes: 500, isCutOff: true });
  });

  it("is what is too much, in whole batches, so that what stays is not", () => {
    expect(plan({ bytes: 500 })).toMatchObject({ beforeId: undefined, nextMs: undefined, isCutOff: false });
    expect(plan({ bytes: 499 })).toMatchObject({ beforeId: 10n, bytes: 100 });
    expect(plan({ bytes: 250 })).toMatchObject({ beforeId: 30n, bytes: 300 });
    expect(plan({ bytes: 0 })).toMatchObject({ beforeId: 50n, bytes: 500, isCutOff: true });
  });

  it("is the more of the two", () => {
    expect(plan({ ageMs: 3000, bytes: 400 })).toMatchObject({ beforeId: 20n, nextMs: 5000 });
    expect(plan({ ageMs: 4000, bytes: 200 })).toMatchObject({ beforeId: 30n, nextMs: 7000 });
  });

  it("leaves what a cursor has not read, and says whose", () => {
    expect(plan({ bytes: 0 }, { slow: 20n, slower: 19n, fast: 50n })).toMatchObject({
      beforeId: 10n,
      forced: { groups: [], messages: 0n },
      blocked: { groups: ["slower"], bytes: 400 },
      nextMs: undefined,
    });
  });

  it("blocks nobody who has read what goes", () => {
    expect(plan({ bytes: 300 }, { slow: 20n }).blocked).toBeUndefined();
  });

  it("is unread too, beyond what the channel keeps of that: the oldest, and counted", () => {
    expect(plan({ bytes: 0, unreadBytesMax: 200 }, { slow: 15n, slower: 12n })).toMatchObject({
      beforeId: 30n,
      forced: { groups: ["slow", "slower"], messages: 18n },
      blocked: { groups: ["slow", "slower"], bytes: 200 },
    });
  });

  it("never is more than should go anyway, however little unread is kept", () => {
    expect(plan({ bytes: 400, unreadBytesMax: 1 }, { slow: 0n })).toMatchObject({
      beforeId: 10n,
      forced: { messages: 10n },
      blocked: undefined,
    });
  });

  it("asks no cursor where none holds anything back", () => {
    expect(plan({ bytes: 0, unreadBytesMax: 0 }, { slow: 0n })).toMatchObject({
      beforeId: 50n,
      forced: { messages: 0n },
      blocked: undefined,
    });
  });

  it("keeps a gibibyte of unread messages unless something else is said", () => {
    const gibibyte = 1024 ** 3;
    const large = { batches: [{ firstId: 0n, lastId: 9n, timeMs: 0, bytes: 100 }], nowMs: 0, retention: { bytes: 0 } };
    const cursors = [{ group: "slow", currentId: 0n }];

    expect(planRetention({ ...large, bytes: gibibyte, cursors }).blocked).toBeDefined();
    expect(planRetention({ ...large, bytes: gibibyte + 1, cursors }).beforeId).toBe(10n);
  });

  it("goes in whole batches from the oldest on, and no batch stays that should go, nor goes that should stay", () => {
    const anyCase = fc.record({
      sizes: fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 12 }),
      more: fc.nat(100),
      nowMs: fc.nat(20),
      ageMs: fc.option(fc.nat(20), { nil: undefined }),
      bytes: fc.option(fc.nat(300), { nil: undefined }),
      unreadBytesMax: fc.option(fc.nat(300), { nil: undefined }),
      cursors: fc.array(fc.nat(40), { maxLength: 3 }),
    });
    fc.assert(
      fc.property(anyCase, ({ sizes, more, nowMs, cursors, ...retention }) => {
        const of: RetentionCase = {
          batches: sizes.map((bytes, at) => ({ firstId: BigInt(at * 3), lastId: BigInt(at * 3 + 2), timeMs: at, bytes })),
          bytes: sizes.reduce((sum, size) => sum + size, more),
          nowMs,
          retention,
          cursors: cursors.map((id, at) => ({ group: `g${at}`, currentId: BigInt(id) })),
        };

        const { beforeId, bytes } = planRetention(of);

        const goes = of.batches.filter(({ lastId }) => beforeId !== undefined && lastId < beforeId);
        expect(bytes).toBe(goes.reduce((sum, batch) => sum + batch.bytes, 0));
        expect(beforeId).toBe(goes.length === 0 ? undefined : (goes.at(-1)?.lastId ?? 0n) + 1n);
        expect(goes).toEqual(of.batches.filter((_, at) => mustGo(of, at)));
      }),
    );
  });
});

/** By the words of the contract: too old or too much, and read, or unread beyond what is kept of that; and all before it go. */
function mustGo({ batches: all, bytes, nowMs, retention, cursors }: RetentionCase, at: number): boolean {
  return all.slice(0, at + 1).every((batch, index) => {
    const left = bytes - all.slice(0, index).reduce((sum, one) => sum + one.bytes, 0);
    const due = batch.timeMs + (retention.ageMs ?? Infinity) <= nowMs || left > (retention.bytes ?? Infinity);
    const isRead = cursors.every(({ currentId }) => currentId > batch.lastId);
    return due && (isRead || left > (retention.unreadBytesMax ?? 1024 ** 3));
  });
}
