/**
 * Public reports about trimmed positions, limits and the life of clients: `cases.md` 10, 25, 27, 29 and 30.
 */
import { describe, expect, it } from "vitest";
import { ManualClock, MemoryVfs } from "../../src/testing/index.js";
import { openRocksMq } from "../../src/rocksmq/index.js";
import { closing, filled, lastingStores, loopOf, message, nextTexts, numbered, readAll, settle, stores, texts } from "../rocksmq/stores.js";

describe.each(stores)("on $name", ({ open }) => {
  it("case 10: at a trimmed position it is position-trimmed with the first one available, whoever asks", async () => {
    const mq = await open();
    const { firstId } = await filled(mq, 10);
    await mq.consume("g", "c", 1);
    await mq.trim("c", firstId + 5n);
    const gone = { code: "position-trimmed", details: { firstAvailable: String(firstId + 5n) } };

    await expect(mq.consume("g", "c", 1)).rejects.toMatchObject(gone);
    await expect(loopOf(mq.subscribe("g", "c")).next()).rejects.toMatchObject(gone);
    await expect(readAll(mq, "c", firstId)).rejects.toMatchObject(gone);
    await expect(mq.read("c", { from: firstId }).ready).rejects.toMatchObject(gone);
    await expect(mq.seek("g", "c", firstId)).rejects.toMatchObject(gone);
  });

  it("case 10: with everything trimmed it waits for what comes", async () => {
    const clock = new ManualClock();
    const mq = await open({ clock });
    const { lastId } = await filled(mq, 10);
    await mq.trim("c", lastId + 1n);

    const waiting = mq.consume("g", "c", 1, { waitMs: 3_600_000 });
    const following = loopOf(mq.read("c", { from: "earliest", follow: true }));
    const next = nextTexts(following);
    await settle();
    await clock.advance(1_800_000);
    await mq.produce("c", [message("at last")]);

    expect(texts(await waiting)).toEqual(["at last"]);
    expect(await next).toEqual(["at last"]);
  });

  it("case 25: a loop that is slow holds nothing back and sees everything", async () => {
    const mq = await open({ maxPendingBytes: 10_000 });
    await filled(mq, 0);
    const loop = loopOf(mq.read("c", { from: "earliest", follow: true, batch: 10 }));

    for (let at = 0; at < 100; at++) await mq.produce("c", [message(String(at), { pad: "x".repeat(1_000) })]);

    const got: string[] = [];
    while (got.length < 100) got.push(...[await nextTexts(loop)].flat());
    expect(got).toEqual(Array.from({ length: 100 }, (_, at) => String(at)));
  });

  it("case 27: closed twice, during reads and with appends in flight, all is settled and none is silently dropped", async () => {
    const mq = await open();
    await filled(mq, 1_000);
    const reader = mq.read("c", { from: "earliest", batch: 7 });
    const reading = loopOf(reader).next();
    const appends = Array.from({ length: 50 }, (_, at) => mq.produce("c", [message(`late ${at}`)]));
    const consumes = Array.from({ length: 5 }, () => mq.consume("g", "c", 10));

    await Promise.all([mq.close(), mq.close()]);
    await mq.close();

    const outcomes = await Promise.allSettled([...appends, ...consumes]);
    expect(outcomes.map(({ status }) => status)).toEqual(Array(55).fill("fulfilled"));
    expect([true, false]).toContain((await reading).done ?? false);
  });

  it("case 27: a loop left by break or throw frees the pair and the reader", async () => {
    const mq = await open();
    await filled(mq, 10);

    for (let round = 0; round < 50; round++) {
      for await (const batch of mq.subscribe("g", "c", { batch: 1 })) if (batch.length > 0) break;
      const failing = async (): Promise<void> => {
        for await (const _ of mq.read("c", { from: "earliest", follow: true })) throw new Error("left");
      };
      await expect(failing()).rejects.toThrow("left");
    }

    expect(texts(await mq.consume("g", "c", 1))).toEqual(["0"]);
  });

  it("case 29: payloads come back exactly: none, empty, up to the limit; one byte more is too-large", async () => {
    const maxMessageBytes = 100_000;
    const mq = await open({ maxMessageBytes });
    await mq.createChannel("c");
    const full = Uint8Array.from({ length: maxMessageBytes }, (_, at) => (at * 31) % 256);

    await mq.produce("c", [{ payload: new Uint8Array(0) }, { payload: full }, { payload: full.subarray(10, 15) }]);
    await expect(mq.produce("c", [{ payload: new Uint8Array(maxMessageBytes + 1) }])).rejects.toMatchObject({
      code: "too-large",
      details: { limit: maxMessageBytes, size: maxMessageBytes + 1 },
    });
    await expect(Reflect.apply(mq.produce, mq, ["c", [{ payload: null }]])).rejects.toMatchObject({ code: "invalid-argument" });
    expect(await mq.produce("c", [])).toEqual({ firstId: -1n, lastId: -1n, count: 0 });

    const stored = await readAll(mq, "c");
    expect(stored.map(({ payload }) => payload.byteLength)).toEqual([0, maxMessageBytes, 5]);
    expect(stored.map(({ payload }) => Buffer.from(payload))).toEqual([
      Buffer.alloc(0),
      Buffer.from(full),
      Buffer.from(full.subarray(10, 15)),
    ]);
  });

  it("case 29: property values are any text, exactly", async () => {
    const mq = await open();
    await mq.createChannel("c");
    const values = [
      "",
      " ",
      "\0",
      "\n\r\t",
      "ü",
      "e\u0301",
      "日本語",
      "👩‍👩‍👧‍👦",
      "\u{10ffff}",
      "\ufeffbom",
      "\u202eabc",
      '"\\',
      "x".repeat(60_000),
    ];

    await mq.produce(
      "c",
      values.map((value) => ({ payload: new Uint8Array(0), properties: { value, [value.slice(0, 50)]: "as a key" } })),
    );

    const stored = await readAll(mq, "c");
    expect(stored.map(({ properties }) => properties["value"])).toEqual(values);
    expect(stored.map(({ properties }) => Object.keys(properties).length)).toEqual(values.map(() => 2));
  });
});

describe("on a disk that fills", () => {
  it("case 25: appends that fail for a while are refused, reads go on, and so do appends when there is space", async () => {
    const vfs = new MemoryVfs();
    const mq = closing(await openRocksMq({ dir: "/queue", vfs, maxPendingBytes: 200_000 }));
    const { firstId } = await filled(mq, 100);
    vfs.setCapacity(vfs.usedBytes);
    const payload = new Uint8Array(50_000);

    let refused = 0;
    for (let round = 0; refused === 0 && round < 200; round++) {
      const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => mq.produce("c", [{ payload }])));
      for (const outcome of outcomes) {
        if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ effect: "none", retry: "backoff" });
        if (outcome.status === "rejected" && Reflect.get(Object(outcome.reason), "code") === "disk-full") refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(0);
    expect(texts(await mq.consume("g", "c", 3))).toEqual(["0", "1", "2"]);
    await mq.trim("c", firstId + 50n);
    vfs.setCapacity(Infinity);

    await mq.produce("c", [message("again")]);
    expect(texts(await readAll(mq, "c")).at(-1)).toBe("again");
  });
});

describe.each(lastingStores)("on $name", ({ place }) => {
  it("case 30: thousands of channels are made, listed and found again", async () => {
    const where = place();
    const mq = await where.open();
    const names = Array.from({ length: 2_000 }, (_, at) => `channel ${String(at).padStart(5, "0")}`);

    await Promise.all(names.map((name) => mq.createChannel(name)));
    await mq.createConsumerGroup("late", { from: "latest" });
    await Promise.all(names.filter((_, at) => at % 100 === 0).map((name) => mq.produce(name, numbered(0, 3))));
    await mq.close();
    const again = await where.open();

    expect(await again.channels()).toEqual(names);
    expect(texts(await again.consume("late", names[300] ?? "", 10))).toEqual(["0", "1", "2"]);
    expect(await again.consume("late", names[301] ?? "", 10)).toEqual([]);
  });
});
