import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import type { BatchPlace } from "./batch-place.js";
import { decodeCheckpoint, encodeCheckpoint } from "./checkpoint.js";
import type { ControlRecord } from "./control-record.js";
import { LogState } from "./log-state.js";

const segmentBytes = 1000;
const frameBytes = 200;

/** One group of a log: what it says, and where. */
interface Entry {
  readonly records: readonly ControlRecord[];
  readonly batches: readonly BatchPlace[];
  readonly segment: number;
  readonly offset: number;
}

interface Step {
  readonly what: "create" | "append" | "trim" | "destroy" | "ceiling";
  readonly channel: number;
  readonly count: number;
}

/** What a batch takes without what is below `id`: the later ones of its messages are the larger ones. */
function bytesFrom({ baseId, count }: Pick<BatchPlace, "baseId" | "count">, id: bigint): number {
  const below = id > baseId ? Number(id - baseId) : 0;
  return below >= count ? 0 : frameBytes - (below * (below + 1)) / 2;
}

/** Takes an entry over, as the writer and the replay do. */
function take(state: LogState, entry: Entry): void {
  if (state.segments.get(entry.segment) === undefined) state.segments.add(entry.segment);
  for (const record of entry.records) state.apply(record);
  for (const batch of entry.batches) state.append(batch);
}

/** A log that makes sense, and the state it comes to. */
function logOf(steps: readonly Step[]): { entries: Entry[]; state: LogState } {
  const entries: Entry[] = [];
  const state = new LogState();
  let segment = 1;
  let offset = 96;
  for (const { what, channel: name, count } of steps) {
    if (offset + frameBytes > segmentBytes) {
      if (state.segments.get(segment) !== undefined) state.segments.seal(segment, offset);
      segment++;
      offset = 96;
    }
    const channel = state.channel(`c${name}`);
    const records: ControlRecord[] = [];
    const batches: BatchPlace[] = [];
    if (channel === undefined) {
      const firstId = state.floor + 1n;
      records.push({ type: "create", channel: state.nextChannel, name: `c${name}`, firstId, ceiling: firstId + 1000n });
    } else if (what === "destroy") {
      records.push({ type: "destroy", channel: channel.number, floor: channel.ceiling });
    } else if (what === "trim" && channel.endId > channel.beginId) {
      const beginId = channel.beginId + 1n + (BigInt(count) % (channel.endId - channel.beginId));
      const left = entries.flatMap((entry) => entry.batches).filter((batch) => batch.channel === channel.number);
      const bytes = channel.bytes - left.reduce((sum, batch) => sum + bytesFrom(batch, beginId), 0);
      records.push({ type: "trim", channel: channel.number, beginId, bytes });
    } else if (what === "ceiling") {
      records.push({ type: "ceiling", channel: channel.number, ceiling: channel.ceiling + BigInt(count) });
    } else {
      const place = { channel: channel.number, baseId: channel.lastId + 1n, count, segment, offset, length: frameBytes };
      batches.push({ ...place, timeMs: entries.length, bytesFrom: (id) => bytesFrom(place, id) });
    }
    const entry = { records, batches, segment, offset };
    take(state, entry);
    entries.push(entry);
    offset += frameBytes;
  }
  return { entries, state };
}

/** Takes an entry over; the first of a segment says where the one before it ends. */
function takeWithEnds(state: LogState, entry: Entry, ends: ReadonlyMap<number, number>): void {
  take(state, entry);
  const before = state.segments.get(entry.segment - 1);
  if (before !== undefined && before.end === undefined) state.segments.seal(before.number, ends.get(before.number) ?? 0);
}

/** The state that an open comes to, from a checkpoint that was made behind `at` entries. */
function replayed(entries: readonly Entry[], at: number): LogState {
  const ends = new Map(entries.map(({ segment, offset }) => [segment, offset + frameBytes]));
  const before = new LogState();
  for (const entry of entries.slice(0, at)) takeWithEnds(before, entry, ends);
  const last = entries[at - 1];
  const position = { segment: last?.segment ?? 0, offset: (last?.offset ?? 0) + frameBytes };
  const bytes = Buffer.from(encodeCheckpoint({ storeId: 1n, position, nextSegment: 99, clean: false }, before));
  const { state } = decodeCheckpoint("checkpoint", bytes);
  state.segments.add(position.segment);
  // Of the checkpoint's own segment what stands before it goes into the accounts only.
  const counted = entries.slice(0, at).filter(({ segment }) => segment === position.segment);
  for (const batch of counted.flatMap(({ batches }) => batches)) state.count(batch);
  for (const entry of entries.slice(at)) takeWithEnds(state, entry, ends);
  return state;
}

/** What must be the same however one came to it. */
function essence(state: LogState): unknown {
  return {
    counters: [state.floor, state.nextChannel],
    channels: [...state.channels()]
      .map(({ number, name, firstId, beginId, endId, lastId, ceiling, runs }) => ({
        names: { number, name },
        ids: { firstId, beginId, endId, lastId, ceiling },
        runs: runs.map(({ segment, lastId: last, bytes }) => [segment, last, bytes]),
      }))
      .sort((a, b) => a.names.number - b.names.number),
    sealed: state.segments.sealed(),
  };
}

const anyStep = fc.record({
  what: fc.constantFrom("create" as const, "append" as const, "append" as const, "trim" as const, "destroy" as const, "ceiling" as const),
  channel: fc.nat(3),
  count: fc.integer({ min: 1, max: 9 }),
});

describe("the state of a log", () => {
  it("is the same from a checkpoint at any border and a replay of what follows", () => {
    fc.assert(
      fc.property(fc.array(anyStep, { minLength: 1, maxLength: 40 }), fc.nat(), (steps, pick) => {
        const { entries, state } = logOf(steps);

        expect(essence(replayed(entries, 1 + (pick % entries.length)))).toEqual(essence(state));
      }),
    );
  });

  it("takes no batch of a channel that is gone, and none that was trimmed before it came", () => {
    const state = new LogState();
    state.segments.add(1);
    state.apply({ type: "create", channel: 1, name: "a", firstId: 10n, ceiling: 99n });
    const batch = { channel: 1, baseId: 10n, count: 5, timeMs: 1, segment: 1, offset: 96, length: 100, bytesFrom: () => 50 };

    // One group may append, trim and destroy: its records come first.
    state.apply({ type: "trim", channel: 1, beginId: 15n });
    expect(state.append(batch)).toMatchObject({ beginId: 15n, endId: 15n, runs: [] });
    state.apply({ type: "destroy", channel: 1, floor: 99n });
    expect(state.append({ ...batch, baseId: 15n })).toBeUndefined();
    expect(state.floor).toBe(99n);
  });

  it("knows ceilings as synced only when the log was", () => {
    const state = new LogState();
    state.apply({ type: "create", channel: 1, name: "a", firstId: 10n, ceiling: 50n });
    const channel = state.channel("a");
    expect(channel?.durableCeiling).toBe(9n);

    state.synced();
    state.apply({ type: "ceiling", channel: 1, ceiling: 90n });

    expect([channel?.ceiling, channel?.durableCeiling]).toEqual([90n, 50n]);
    state.synced();
    expect(channel?.durableCeiling).toBe(90n);
  });

  it("goes on above every ceiling after an unclean stop", () => {
    const state = new LogState();
    state.apply({ type: "create", channel: 1, name: "a", firstId: 10n, ceiling: 50n });

    state.jumpToCeilings();

    expect(state.channel("a")?.lastId).toBe(50n);
  });

  it("refuses a log that makes no sense", () => {
    const state = new LogState();
    state.segments.add(1);
    state.apply({ type: "create", channel: 1, name: "a", firstId: 10n, ceiling: 50n });
    const batch = { channel: 1, baseId: 10n, count: 5, timeMs: 1, segment: 1, offset: 96, length: 100, bytesFrom: () => 50 };
    state.append(batch);

    expect(() => state.apply({ type: "create", channel: 2, name: "a", firstId: 10n, ceiling: 50n })).toThrow("channel a is made twice");
    expect(() => state.apply({ type: "trim", channel: 7, beginId: 1n })).toThrow("channel number 7");
    expect(() => state.append(batch)).toThrow("goes back to id 10");
  });
});
