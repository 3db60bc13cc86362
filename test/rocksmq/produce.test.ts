import { describe, expect, it, onTestFinished } from "vitest";
import { openRocksMq, type ProducerMessage, type RocksMq } from "../../src/rocksmq/index.js";
import { MemoryVfs } from "../../src/testing/index.js";
import { resizable } from "../faults/resizable-payload.js";
import { filled, message, numbered, readAll, stores, texts } from "./stores.js";

describe.each(stores)("produce on $name", ({ open }) => {
  it("gives consecutive ids within a batch and from one to the next", async () => {
    const mq = await open();
    const first = await filled(mq, 3);

    const second = await mq.produce("c", numbered(3, 5));

    expect(first).toEqual({ firstId: first.firstId, lastId: first.firstId + 2n, count: 3 });
    expect(second).toEqual({ firstId: first.lastId + 1n, lastId: first.lastId + 2n, count: 2 });
    expect((await readAll(mq, "c")).map(({ id }) => id - first.firstId)).toEqual([0n, 1n, 2n, 3n, 4n]);
  });

  it("of nothing is nothing, but on a channel that is there", async () => {
    const mq = await open();
    const created = mq.createChannel("c");

    expect(await mq.produce("c", [])).toEqual({ firstId: -1n, lastId: -1n, count: 0 });
    await created;
    await expect(mq.produce("d", [])).rejects.toMatchObject({ code: "channel-not-found", details: { channels: ["d"] } });
  });

  it("stores what was handed in at the call, not what becomes of the array later", async () => {
    const mq = await open();
    await filled(mq, 0);
    const batch: ProducerMessage[] = [message("a", { k: "v" }), message("b")];
    const properties = { k: "v" };

    const produced = mq.produce("c", [...batch, { payload: new Uint8Array(1), properties }]);
    batch.length = 0;
    properties.k = "changed";
    await produced;

    const stored = await readAll(mq, "c");
    expect(stored.map((one) => ({ ...one.properties }))).toEqual([{ k: "v" }, {}, { k: "v" }]);
  });

  it("of memory that is transferred before it settles is refused, and nothing else with it", async () => {
    const mq = await open();
    await filled(mq, 0);
    const payload = new Uint8Array(5_000);

    const before = mq.produce("c", [message("before")]);
    const hasty = mq.produce("c", [message("beside"), { payload }]);
    const after = mq.produce("c", [message("after")]);
    structuredClone(payload.buffer, { transfer: [payload.buffer] });

    await expect(hasty).rejects.toMatchObject({ code: "invalid-argument", effect: "none", details: { argument: "messages" } });
    await Promise.all([before, after]);
    await mq.produce("c", [message("later")]);
    expect(texts(await readAll(mq, "c"))).toEqual(["before", "after", "later"]);
  });

  it("of memory that is resized before it settles is refused, also when another payload of it makes up for that", async () => {
    const mq = await open();
    await filled(mq, 0);
    const [one, other] = [resizable(300), resizable(700)];

    const hasty = mq.produce("c", [message("beside"), one, other]);
    one.resize(400);
    other.resize(600);

    await expect(hasty).rejects.toMatchObject({ code: "invalid-argument", effect: "none", details: { argument: "messages" } });
    await expect(hasty).rejects.toThrow("messages[1] was handed in with a payload of 300 bytes, and it has 400");
    await mq.produce("c", [message("later")]);
    expect(texts(await readAll(mq, "c"))).toEqual(["later"]);
  });

  it("of memory that is transferred already is refused", async () => {
    const mq = await open();
    await filled(mq, 0);
    const payload = new Uint8Array(10);
    structuredClone(payload.buffer, { transfer: [payload.buffer] });

    await expect(mq.produce("c", [{ payload }])).rejects.toMatchObject({
      code: "invalid-argument",
      details: { argument: "messages[0].payload" },
    });
  });

  it("keeps its own copy of the payload once it has settled", async () => {
    const mq = await open();
    await filled(mq, 0);
    const payload = new TextEncoder().encode("before");

    await mq.produce("c", [{ payload }]);
    payload.fill(0);

    expect(texts(await readAll(mq, "c"))).toEqual(["before"]);
  });

  it("gives payloads as plain bytes whose slice is a copy", async () => {
    const mq = await open();
    await filled(mq, 2);

    for (const { payload } of await readAll(mq, "c")) {
      expect(Object.getPrototypeOf(payload)).toBe(Uint8Array.prototype);
      expect(payload.slice().buffer).not.toBe(payload.buffer);
    }
  });

  it("aborted before its turn is not written; later the outcome stands", async () => {
    const mq = await open();
    await filled(mq, 0);
    const controller = new AbortController();

    const early = mq.produce("c", [message("early")], { signal: AbortSignal.abort("too late") });
    const taken = mq.produce("c", [message("taken")]);
    const waiting = mq.produce("c", [message("waiting")], { signal: controller.signal });
    controller.abort("not any more");

    await expect(early).rejects.toBe("too late");
    await expect(waiting).rejects.toBe("not any more");
    await taken;
    await mq.produce("c", [message("last")], { signal: controller.signal }).catch(() => undefined);
    expect(texts(await readAll(mq, "c"))).toEqual(["taken"]);
  });

  it("is refused beside too much that is not durable yet, and taken again when that is", async () => {
    const mq = await open({ maxPendingBytes: 1_000 });
    await filled(mq, 0);
    const of = (bytes: number): Promise<unknown> => mq.produce("c", [{ payload: new Uint8Array(bytes) }]);

    const first = of(600);
    const second = of(400);
    await expect(of(1)).rejects.toMatchObject({ code: "overloaded", effect: "none", retry: "backoff" });
    await expect(of(1_001)).rejects.toMatchObject({ code: "too-large", details: { limit: 1_000, size: 1_001 } });
    await Promise.all([first, second]);

    await of(1_000);
    expect((await mq.describeChannel("c")).messages).toBe(3n);
  });

  it("is refused beside too many that are not durable yet, however small, and taken again when they are", async () => {
    const mq = await open({ maxPendingBytes: 1_000 });
    await filled(mq, 0);
    const nothing = (): Promise<unknown> => mq.produce("c", [{ payload: new Uint8Array(0) }]);

    const taken = Array.from({ length: 4_096 }, nothing);
    await expect(nothing()).rejects.toMatchObject({ code: "overloaded", effect: "none", retry: "backoff" });
    await Promise.all(taken);

    await nothing();
    expect((await mq.describeChannel("c")).messages).toBe(4_097n);
  });

  it("gives the room of a refused batch back", async () => {
    const mq = await open({ maxPendingBytes: 100 });
    await mq.createChannel("c");

    for (let round = 0; round < 5; round++) {
      await expect(mq.produce("nowhere", [{ payload: new Uint8Array(100) }])).rejects.toMatchObject({ code: "channel-not-found" });
      await expect(mq.produce("c", [{ payload: new Uint8Array(100) }], { signal: AbortSignal.abort("no") })).rejects.toBe("no");
    }

    await mq.produce("c", [{ payload: new Uint8Array(100) }]);
  });

  it("measures a message by payload and properties", async () => {
    const mq = await open({ maxMessageBytes: 100 });
    await filled(mq, 0);
    const sized = (payload: number, value: string): ProducerMessage => ({ payload: new Uint8Array(payload), properties: { key: value } });

    await mq.produce("c", [sized(90, "1234567")]);
    await expect(mq.produce("c", [message("ok"), sized(90, "éééé")])).rejects.toMatchObject({
      code: "too-large",
      effect: "none",
      details: { limit: 100, size: 101 },
    });

    expect((await mq.describeChannel("c")).messages).toBe(1n);
  });
});

describe.each(stores)("properties on $name", ({ open }) => {
  async function stored(mq: RocksMq, properties: Record<string, string>): Promise<Readonly<Record<string, string>> | undefined> {
    await mq.createChannel("c");
    await mq.produce("c", [{ payload: new Uint8Array(0), properties }]);
    return (await readAll(mq, "c"))[0]?.properties;
  }

  it("come back exactly, whatever text they are", async () => {
    const odd = JSON.parse('{"__proto__":"p","constructor":"c","":"empty key","empty value":"","\\u0000":"\\u0000"}') as Record<
      string,
      string
    >;
    const given = { ...odd, 日本語: "語", "𝄞": "👩‍👩‍👧", "\ufeff": "\u202e", é: "e\u0301" };

    const properties = await stored(await open(), given);

    expect(Object.getPrototypeOf(properties)).toBeNull();
    expect(new Map(Object.entries(properties ?? {}))).toEqual(new Map(Object.entries(given)));
  });

  it("may have no prototype themselves", async () => {
    const given = Object.assign(Object.create(null) as Record<string, string>, { ["__proto__"]: "kept", a: "b" });

    expect(Object.entries((await stored(await open(), given)) ?? {})).toEqual([
      ["__proto__", "kept"],
      ["a", "b"],
    ]);
  });

  it("are 64 KiB in all at the most", async () => {
    const mq = await open();
    await mq.createChannel("c");
    const of = (bytes: number): Promise<unknown> =>
      mq.produce("c", [{ payload: new Uint8Array(0), properties: { k: "x".repeat(bytes - 1) } }]);

    await of(65_536);
    await expect(of(65_537)).rejects.toMatchObject({ code: "too-large", effect: "none", details: { limit: 65_536, size: 65_537 } });

    expect((await mq.describeChannel("c")).messages).toBe(1n);
  });
});

describe("memory that is transferred while a new segment is made for its message", () => {
  it.each([0, 5_000])("of %i bytes is refused, or stored as nothing when it was nothing; and the log goes on", async (bytes) => {
    const disk = new MemoryVfs();
    const mq = await openRocksMq({ dir: "/queue", vfs: disk, prefill: "off" });
    onTestFinished(() => mq.close());
    await filled(mq, 0);
    const payload = new Uint8Array(bytes);
    let transferred = 0;
    disk.observe(({ op }) => {
      if (op === "open" && transferred++ === 0) structuredClone(payload.buffer, { transfer: [payload.buffer] });
    });

    const all = await Promise.allSettled([
      // So much that its group goes to another segment, whose file is made after the batches have got their ids.
      mq.produce("c", [{ payload: new Uint8Array(2 ** 20) }]),
      mq.produce("c", [{ payload }]),
      mq.produce("c", [message("after")]),
    ]);

    expect(transferred).toBeGreaterThan(0);
    const stored = all.map(({ status }) => status === "fulfilled");
    expect(stored).toEqual([true, bytes === 0, true]);
    await mq.produce("c", [message("later")]);
    expect(texts(await readAll(mq, "c")).slice(1)).toEqual([...(bytes === 0 ? [""] : []), "after", "later"]);
  });
});
