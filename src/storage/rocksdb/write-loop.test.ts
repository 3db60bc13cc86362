import { describe, expect, it } from "vitest";
import { resizable } from "../../../test/faults/resizable-payload.js";
import { silentLogger } from "../../base/logger.js";
import { noMetrics } from "../../base/metrics.js";
import { ManualClock } from "../../testing/manual-clock.js";
import { MemoryVfs } from "../../testing/memory-vfs.js";
import type { Draft, EngineEvent } from "../engine.js";
import { LogMetrics } from "../segment/log-metrics.js";
import { WaitingChange } from "../waiting-change.js";
import type { Operation } from "./group-layout.js";
import { RocksDbState } from "./rocksdb-state.js";
import { WriteLoop } from "./write-loop.js";

/** A loop over a writer that only notes what it is asked for, and fails when it is told to. */
class Rig {
  readonly clock = new ManualClock();
  readonly state = new RocksDbState();
  readonly writes: { readonly operations: readonly Operation[]; readonly sync: boolean }[] = [];
  readonly sweeps: string[] = [];
  readonly told: EngineEvent[] = [];
  failure: Error | undefined;
  /** Called while a trim waits for what a page's rows tell. */
  onLook: () => void = () => undefined;
  readonly loop: WriteLoop;

  constructor(durability: "sync" | "os" | { everyMs: number } = "sync") {
    const writer = {
      write: async (operations: readonly Operation[], sync: boolean): Promise<number> => {
        if (this.failure !== undefined) throw this.failure;
        this.writes.push({ operations, sync });
        return 1;
      },
      sweep: async (ranges: readonly { channel: string; fromId: bigint; toId: bigint }[]): Promise<void> => {
        for (const { channel, fromId, toId } of ranges) this.sweeps.push(`${channel} ${toId - fromId}`);
      },
    };
    const options = { dir: "/d", ids: "internal", segmentBytes: 1, prefill: "off", clock: this.clock, vfs: new MemoryVfs() } as const;
    this.loop = new WriteLoop({
      state: this.state,
      writer,
      lastInPage: async ({ firstId }) => {
        this.onLook();
        return firstId;
      },
      metrics: new LogMetrics(noMetrics),
      options: { ...options, durability, metrics: noMetrics, logger: silentLogger },
      tell: (event) => this.told.push(event),
    });
  }

  write<T>(change: (draft: Draft) => T, ack: "durable" | "written" = "durable"): Promise<T> {
    const waiting = new WaitingChange(change, { ack });
    this.loop.submit(waiting);
    return waiting.promise;
  }

  async append(count = 1): Promise<void> {
    await this.write((draft) =>
      draft.append(
        "c",
        Array.from({ length: count }, () => ({ payload: Buffer.from("x") })),
      ),
    );
  }
}

describe("the loop that writes the database", () => {
  it("puts all that waits into one batch with one sync", async () => {
    const rig = new Rig();
    await rig.write((draft) => draft.createChannel("c"));
    rig.writes.length = 0;

    await Promise.all([rig.append(), rig.append(), rig.append()]);

    expect(rig.writes).toHaveLength(1);
    expect(rig.writes[0]?.sync).toBe(true);
    expect(rig.writes[0]?.operations.flatMap((operation) => (operation.do === "messages" ? operation.batches : []))).toHaveLength(3);
  });

  it("takes only so much metadata into one batch, too", async () => {
    const rig = new Rig();
    const value = new Uint8Array(1024 * 1024);

    await Promise.all(Array.from({ length: 10 }, (_, at) => rig.write((draft) => draft.put(`k${at}`, value))));

    const values = rig.writes.map(({ operations }) => operations.filter((one) => one.do === "put" && one.value.length === value.length));
    expect(values.map((some) => some.length)).toEqual([4, 4, 2]);
  });

  it("syncs metadata that need not be durable once its timer fires, and not before", async () => {
    const rig = new Rig();
    await rig.write((draft) => draft.put("k", Buffer.from("v")), "written");
    expect(rig.writes.map(({ sync }) => sync)).toEqual([false]);

    await rig.clock.advance(1_000);
    await rig.loop.finish();

    expect(rig.writes.map(({ sync }) => sync)).toEqual([false, true]);
  });

  it('syncs ids above a ceiling in the mode "os" too, and no others', async () => {
    const rig = new Rig("os");
    await rig.write((draft) => draft.createChannel("c"));

    for (let time = 0; time < 3; time++) await rig.append();

    expect(rig.writes.map(({ sync }) => sync)).toEqual([false, true, false, false]);
    expect(rig.state.channels.get("c")?.durableCeiling).toBeGreaterThan(rig.state.channels.get("c")?.facts.lastId ?? 0n);
  });

  it("deletes rows only after readers are refused them, and takes the note away with the next group", async () => {
    const rig = new Rig();
    await rig.write((draft) => draft.createChannel("c"));
    await rig.append(10);

    await rig.write((draft) => draft.destroyChannel("c"));
    await rig.loop.finish();
    await rig.write((draft) => draft.put("k", Buffer.of()));

    expect(rig.sweeps).toEqual(["c 10"]);
    const notes = rig.writes.map(({ operations }) => operations.filter((one) => "key" in one && one.key.startsWith("\0doomed")));
    expect(notes.map((some) => some.map((one) => one.do))).toEqual([[], [], ["put"], ["delete"]]);
  });

  it("stops at a write that failed: what was in flight may be there, what comes later is not", async () => {
    const rig = new Rig();
    await rig.write((draft) => draft.createChannel("c"));
    rig.failure = new Error("IO error: While appending to file: Input/output error");

    await expect(rig.append()).rejects.toMatchObject({ code: "io-failed", effect: "unknown" });
    await expect(rig.append()).rejects.toMatchObject({ code: "io-failed", effect: "none" });

    expect(rig.told.at(-1)).toEqual({ type: "failed", error: rig.loop.failure });
    expect(rig.state.channels.get("c")?.endId).toBe(rig.state.channels.get("c")?.firstId);
  });

  it("says so when the disk is full, and that it must be opened again", async () => {
    const rig = new Rig();
    await rig.write((draft) => draft.createChannel("c"));
    rig.failure = new Error("IO error: No space left on device: While appending to file");

    await expect(rig.append()).rejects.toMatchObject({ code: "disk-full", effect: "unknown", retry: "reopen" });
  });

  it("runs a turn again whose payloads were resized while a trim in it had to look at rows, also when together they are as long as before", async () => {
    const rig = new Rig();
    const { firstId } = await rig.write((draft) => draft.createChannel("c"));
    await rig.append();
    await rig.write((draft) => draft.copy("c", [{ payload: Buffer.from("y") }], firstId + 10n));
    const [one, other] = [resizable(30), resizable(70)];
    rig.onLook = () => {
      one.resize(40);
      other.resize(60);
    };
    const lengths: number[][] = [];

    const appended = rig.write((draft) => {
      lengths.push([one.payload.byteLength, other.payload.byteLength]);
      return draft.append("c", [one, other]);
    });
    await rig.write((draft) => draft.trim("c", firstId + 5n));
    await appended;

    expect(lengths).toEqual([
      [30, 70],
      [40, 60],
    ]);
  });

  it("runs a turn again whose messages were transferred while a trim in it had to look at rows", async () => {
    const rig = new Rig();
    const { firstId } = await rig.write((draft) => draft.createChannel("c"));
    await rig.append();
    await rig.write((draft) => draft.copy("c", [{ payload: Buffer.from("y") }], firstId + 10n));
    const payload = new Uint8Array(100);
    rig.onLook = () => {
      if (payload.byteLength > 0) structuredClone(payload.buffer, { transfer: [payload.buffer] });
    };
    rig.writes.length = 0;

    const appended = rig.write((draft) => {
      if (payload.byteLength === 0) throw new Error("it was transferred");
      return draft.append("c", [{ payload }]);
    });
    const trimmed = rig.write((draft) => draft.trim("c", firstId + 5n));

    await expect(appended).rejects.toThrow("it was transferred");
    await trimmed;
    expect(rig.state.channels.get("c")).toMatchObject({ beginId: firstId + 1n, endId: firstId + 11n });
    expect(rig.writes.map(({ operations }) => operations.some((one) => one.do === "messages"))).toEqual([false]);
  });
});
