import { describe, expect, it } from "vitest";
import type { ConsumerMessage } from "../../src/rocksmq/index.js";
import { filled, loopOf, message, nextTexts, numbered, readAll, settle, stores, texts } from "./stores.js";

describe.each(stores)("a reader on $name", ({ open }) => {
  it("reads what is there and ends, in arrays of the size asked for, and moves no cursor", async () => {
    const mq = await open();
    await filled(mq, 5);
    const loop = loopOf(mq.read("c", { from: "earliest", batch: 2 }));

    expect([await nextTexts(loop), await nextTexts(loop), await nextTexts(loop)]).toEqual([["0", "1"], ["2", "3"], ["4"]]);

    expect(await nextTexts(loop)).toBe("done");
    expect((await mq.describeChannel("c")).groups).toEqual([]);
  });

  it("ends at the end seen at the call, whatever comes meanwhile", async () => {
    const mq = await open();
    await filled(mq, 3);

    const reader = mq.read("c", { from: "earliest" });
    await reader.ready;
    await mq.produce("c", numbered(3, 5));

    expect(await nextTexts(loopOf(reader))).toEqual(["0", "1", "2"]);
    expect(texts(await readAll(mq, "c"))).toEqual(["0", "1", "2", "3", "4"]);
  });

  it("from an id begins exactly there", async () => {
    const mq = await open();
    const { firstId } = await filled(mq, 5);

    expect(texts(await readAll(mq, "c", firstId + 3n))).toEqual(["3", "4"]);
    expect(await readAll(mq, "c", firstId + 5n)).toEqual([]);
  });

  it("gives no more than its limit", async () => {
    const mq = await open();
    await filled(mq, 5);
    const limited = async (limit: number): Promise<string[]> => {
      const all: ConsumerMessage[] = [];
      for await (const batch of mq.read("c", { from: "earliest", batch: 2, limit, follow: true })) all.push(...batch);
      return texts(all);
    };

    expect(await limited(3)).toEqual(["0", "1", "2"]);
    expect(await limited(5)).toEqual(["0", "1", "2", "3", "4"]);
    expect(await limited(0)).toEqual([]);
  });

  it("from latest delivers what is produced after the call, not before", async () => {
    const mq = await open();
    await filled(mq, 2);

    const before = mq.produce("c", [message("before")]);
    const reader = mq.read("c", { from: "latest", follow: true });
    const after = mq.produce("c", [message("after")]);
    await Promise.all([before, after, reader.ready]);

    expect(await nextTexts(loopOf(reader))).toEqual(["after"]);
    expect(await nextTexts(loopOf(mq.read("c", { from: "latest" })))).toBe("done");
  });

  it("follows: parked at the end it is woken by each produce", async () => {
    const mq = await open();
    await filled(mq, 0);
    const loop = loopOf(mq.read("c", { from: "earliest", follow: true }));

    for (let round = 0; round < 10; round++) {
      const next = nextTexts(loop);
      await settle();
      await mq.produce("c", [message(`round ${round}`)]);
      expect(await next).toEqual([`round ${round}`]);
    }
  });

  it("sees what was called before it, and nothing of a channel that was not there", async () => {
    const mq = await open();

    const tooEarly = mq.read("c", { from: "earliest" });
    const calls = Promise.all([mq.createChannel("c"), mq.produce("c", numbered(0, 2))]);
    const loop = loopOf(mq.read("c", { from: "earliest" }));

    expect(await nextTexts(loop)).toEqual(["0", "1"]);
    await calls;
    await expect(tooEarly.ready).rejects.toMatchObject({ code: "channel-not-found" });
    await expect(loopOf(tooEarly).next()).rejects.toMatchObject({ code: "channel-not-found" });
  });

  it("never skips what was trimmed: it says where it could go on", async () => {
    const mq = await open();
    const { firstId } = await filled(mq, 10);
    const loop = loopOf(mq.read("c", { from: "earliest", batch: 2 }));
    await loop.next();

    await mq.trim("c", firstId + 6n);

    const trimmed = { code: "position-trimmed", details: { firstAvailable: String(firstId + 6n) } };
    await expect(loop.next()).rejects.toMatchObject(trimmed);
    expect(await nextTexts(loop)).toBe("done");
    await expect(readAll(mq, "c", firstId + 5n)).rejects.toMatchObject(trimmed);
    await expect(readAll(mq, "c", firstId + 11n)).rejects.toMatchObject({
      code: "position-ahead",
      details: { end: String(firstId + 10n) },
    });
    expect(texts(await readAll(mq, "c"))).toEqual(["6", "7", "8", "9"]);
  });

  it.each(["close", "abort", "return", "dispose"] as const)("parked ends at once by %s, without an error", async (end) => {
    const mq = await open();
    await filled(mq, 0);
    const controller = new AbortController();
    const reader = mq.read("c", { from: "latest", follow: true, signal: controller.signal });
    const loop = loopOf(reader);
    const parked = loop.next();
    await settle();

    if (end === "close") await reader.close();
    else if (end === "abort") controller.abort();
    else if (end === "return") await loop.return?.();
    else await reader[Symbol.asyncDispose]();

    expect(await parked).toEqual({ done: true, value: undefined });
    await reader.ready;
  });

  it("left by break or by a throw in the body has ended", async () => {
    const mq = await open();
    await filled(mq, 5);
    const left = mq.read("c", { from: "earliest", batch: 1, follow: true });
    const thrownAt = mq.read("c", { from: "earliest", batch: 1, follow: true });

    for await (const batch of left) if (batch.length === 1) break;
    const failing = async (): Promise<void> => {
      for await (const batch of thrownAt) throw new Error(`failed at ${texts(batch).join()}`);
    };
    await expect(failing()).rejects.toThrow("failed at 0");

    expect(await nextTexts(loopOf(left))).toBe("done");
    expect(await nextTexts(loopOf(thrownAt))).toBe("done");
  });

  it("aborted before it is ready tells the reason to who waits for that", async () => {
    const mq = await open();
    await filled(mq, 5);

    const reader = mq.read("c", { from: "earliest", signal: AbortSignal.abort("no") });

    await expect(reader.ready).rejects.toBe("no");
    expect(await nextTexts(loopOf(reader))).toBe("done");
  });

  it("takes one loop at a time", async () => {
    const mq = await open();
    await filled(mq, 5);
    const reader = mq.read("c", { from: "earliest", batch: 1 });
    const first = loopOf(reader);

    const second = loopOf(reader);
    await expect(second.next()).rejects.toMatchObject({ code: "conflict" });
    await second.return?.();

    expect(await nextTexts(first)).toEqual(["0"]);
  });

  it("answers calls of next() in order, also when they are not awaited", async () => {
    const mq = await open();
    await filled(mq, 3);
    const loop = loopOf(mq.read("c", { from: "earliest", batch: 1 }));

    const all = await Promise.all([nextTexts(loop), nextTexts(loop), nextTexts(loop), nextTexts(loop)]);

    expect(all).toEqual([["0"], ["1"], ["2"], "done"]);
  });

  it("never goes over to a channel of the same name made after it was called", async () => {
    const mq = await open();
    await filled(mq, 3);

    const produced = mq.produce("c", numbered(3, 4));
    const next = loopOf(mq.read("c", { from: "earliest", follow: true })).next();
    const changes = [produced, mq.destroyChannel("c"), mq.createChannel("c"), mq.produce("c", [message("another's")])];

    await expect(next).rejects.toMatchObject({ code: "channel-not-found" });
    await Promise.all(changes);
  });

  it("ends with its channel", async () => {
    const mq = await open();
    await filled(mq, 0);
    const parked = loopOf(mq.read("c", { from: "earliest", follow: true }))
      .next()
      .catch((error: unknown) => error);
    await settle();

    await mq.destroyChannel("c");

    expect(await parked).toMatchObject({ code: "channel-not-found", details: { channels: ["c"] } });
  });
});
