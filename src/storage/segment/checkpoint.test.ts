import { describe, expect, it } from "vitest";
import { crc32 } from "../../base/crc32.js";
import { isTidemarkError } from "../../base/errors.js";
import { decodeCheckpoint, encodeCheckpoint, formatVersion, keptByCheckpoint, type CheckpointHead } from "./checkpoint.js";
import { LogState } from "./log-state.js";
import { origin } from "./position.js";

const head: CheckpointHead = { storeId: 2n ** 63n + 1n, position: { segment: 5, offset: 4096 }, nextSegment: 9, clean: true };

/** Two channels that live in segments 2, 3 and 5, one destroyed one, metadata with revisions of its own, all counters moved. */
function richState(): LogState {
  const state = new LogState();
  state.term = 12n;
  state.lastTimeMs = 1_700_000_000_456.5;
  state.segments.add(2, 1000);
  state.segments.add(3, 2000);
  state.segments.add(5);
  for (const [channel, name] of ["ä", "beta", "gone"].entries()) {
    state.apply({ type: "create", channel: channel + 1, name, firstId: 100n, ceiling: 2n ** 40n });
  }
  const batch = { channel: 1, timeMs: 5, offset: 96, length: 160, bytesFrom: () => 100 };
  state.append({ ...batch, baseId: 100n, count: 10, segment: 2 });
  state.append({ ...batch, baseId: 150n, count: 5, segment: 3 });
  state.append({ ...batch, baseId: 160n, count: 1, segment: 5 });
  state.append({ ...batch, channel: 2, baseId: 100n, count: 3, segment: 3 });
  state.apply({ type: "trim", channel: 1, beginId: 103n });
  state.apply({ type: "destroy", channel: 3, floor: 2n ** 41n });
  state.apply({ type: "put", revision: 1n, key: "channels/ä", value: Buffer.from("v1") });
  state.apply({ type: "put", revision: 4n, key: "z", value: new Uint8Array(0) });
  state.apply({ type: "put", revision: 7n, key: "channels/ä", value: Buffer.from("v2") });
  state.apply({ type: "delete", revision: 9n, key: "nothing" });
  state.synced();
  return state;
}

/** All that a checkpoint should keep of a state. */
function kept(state: LogState, before: number): unknown {
  return {
    counters: [state.term, state.floor, state.nextChannel, state.lastTimeMs, state.meta.revision],
    segments: state.segments.sealed(),
    channels: [...state.channels()].map(({ name, number, firstId, beginId, endId, lastId, ceiling, durableCeiling, runs }) => ({
      names: { name, number },
      ids: { firstId, beginId, endId, lastId, ceiling, durableCeiling },
      runs: runs.filter(({ segment }) => segment < before),
    })),
    meta: state.meta.all().map((entry) => ({ ...entry, value: [...entry.value] })),
  };
}

function codeOf(bytes: Buffer): string | undefined {
  try {
    decodeCheckpoint("checkpoint", bytes);
    return undefined;
  } catch (error) {
    return isTidemarkError(error) ? error.code : String(error);
  }
}

const bytes = Buffer.from(encodeCheckpoint(head, richState()));

describe("a checkpoint", () => {
  it("gives back the state that it was made of, but for the runs in the segment of its position", () => {
    const found = decodeCheckpoint("checkpoint", bytes);

    expect(found).toMatchObject({ ...head, bytes: bytes.length });
    expect(kept(found.state, 9)).toEqual(kept(richState(), 5));
  });

  it("of a new store holds nothing, and stands before everything", () => {
    const found = decodeCheckpoint("checkpoint", Buffer.from(encodeCheckpoint({ ...head, position: origin }, new LogState())));

    expect(found.position).toEqual(origin);
    expect(kept(found.state, 1)).toEqual(kept(new LogState(), 1));
  });

  it("says what the store is for, whole or by its start, and nothing when it is damaged", () => {
    const state = new LogState();
    state.keeps = "meta";
    const meta = Buffer.from(encodeCheckpoint(head, state));

    expect(decodeCheckpoint("checkpoint", meta)).toMatchObject({ ...head, state: { keeps: "meta" } });
    expect([bytes, meta].map((one) => keptByCheckpoint(one.subarray(0, 64), "start"))).toEqual(["queue", "meta"]);
    meta[48] = (meta[48] ?? 0) ^ 2;
    expect(keptByCheckpoint(meta, "whole")).toBeUndefined();
  });

  it("takes the ceilings it finds for synced: the log before it was", () => {
    const found = decodeCheckpoint("checkpoint", bytes);

    expect([...found.state.channels()].map(({ durableCeiling }) => durableCeiling)).toEqual([2n ** 40n, 2n ** 40n]);
  });

  it("does not list segments that hold nothing live: they may go once it is durable", () => {
    const state = richState();
    state.apply({ type: "trim", channel: 1, beginId: 160n });

    const found = decodeCheckpoint("checkpoint", Buffer.from(encodeCheckpoint(head, state)));

    expect(found.state.segments.sealed()).toEqual([{ number: 3, end: 2000 }]);
  });

  it("is corrupt when any single bit of it is turned over", () => {
    const passed: string[] = [];
    for (let at = 0; at < bytes.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
        if (codeOf(bytes) !== "corrupt") passed.push(`${at}.${bit}: ${codeOf(bytes)}`);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
      }
    }

    expect(passed).toEqual([]);
    expect(codeOf(bytes)).toBeUndefined();
  });

  it("is corrupt wherever it is cut off", () => {
    for (let size = 0; size < bytes.length; size++) expect(codeOf(bytes.subarray(0, size)), `${size} bytes`).toBe("corrupt");
  });

  it("of another format is refused with both versions", () => {
    const later = Buffer.from(bytes);
    later.writeUInt32LE(formatVersion + 1, 20);
    later.writeUInt32LE(crc32(later.subarray(28), formatVersion + 1), 24);

    expect(() => decodeCheckpoint("checkpoint", later)).toThrow(
      expect.objectContaining({
        code: "unsupported-format",
        details: { found: formatVersion + 1, supported: formatVersion },
      }),
    );
  });

  it("refuses flags that it does not know, rather than lose them with the next checkpoint", () => {
    const later = Buffer.from(bytes);
    later[48] = 5;
    later.writeUInt32LE(crc32(later.subarray(28), formatVersion), 24);

    expect(() => decodeCheckpoint("checkpoint", later)).toThrow(
      expect.objectContaining({ code: "unsupported-format", message: expect.stringContaining("flags (4)") as string }),
    );
  });

  it("begins as docs/log-format.md says", () => {
    expect(bytes.toString("latin1", 0, 20)).toBe("TIDEMARK CHECKPOINT ");
    expect(bytes.readUInt32LE(20)).toBe(1);
    expect(bytes.readUInt32LE(24)).toBe(crc32(bytes.subarray(28), 1));
    expect(bytes.readBigUInt64LE(28)).toBe(head.storeId);
    expect([bytes.readUInt32LE(36), bytes.readUInt32LE(40), bytes.readUInt32LE(44)]).toEqual([5, 4096, 9]);
    expect(bytes[48]).toBe(1);
    expect([bytes.readBigUInt64LE(49), bytes.readBigUInt64LE(57), bytes.readUInt32LE(65)]).toEqual([12n, 2n ** 41n, 4]);
    expect(bytes.readDoubleLE(69)).toBe(1_700_000_000_456.5);
  });
});
