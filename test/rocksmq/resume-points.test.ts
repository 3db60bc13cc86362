import { describe, expect, it } from "vitest";
import { type RocksMq, type StreamQueue, streamQueueOf } from "../../src/rocksmq/index.js";
import { filled, lastingStores, settle, stores, texts } from "./stores.js";

function position(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

async function kept(mq: StreamQueue, group = "g"): Promise<string | undefined> {
  const bytes = (await mq.loadResumePoints(group, ["c"])).get("c");
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}

async function cursor(mq: RocksMq): Promise<bigint | undefined> {
  return (await mq.describeChannel("c")).groups.find(({ group }) => group === "g")?.currentId;
}

for (const store of stores) {
  describe(`resume points of a queue on ${store.name}`, () => {
    it("move the group's cursor with them, both ways", async () => {
      const mq = streamQueueOf(await store.open());
      const { firstId } = await filled(mq, 5);

      await mq.saveResumePoints("g", [{ channel: "c", nextId: firstId + 3n, position: position("three") }]);
      expect([await kept(mq), await cursor(mq)]).toEqual(["three", firstId + 3n]);
      expect(texts(await mq.consume("g", "c", 10))).toEqual(["3", "4"]);

      await mq.saveResumePoints("g", [{ channel: "c", nextId: firstId + 1n, position: position("one") }]);
      expect([await kept(mq), await cursor(mq)]).toEqual(["one", firstId + 1n]);
    });

    it("begin where the channel begins when they name no id, or one that is trimmed", async () => {
      const mq = streamQueueOf(await store.open());
      const { firstId } = await filled(mq, 5);
      await mq.trim("c", firstId + 2n);

      for (const nextId of [undefined, firstId]) {
        await mq.saveResumePoints("g", [{ channel: "c", nextId, position: position("begin") }]);
        expect(await cursor(mq)).toBe(firstId + 2n);
      }
    });

    it("are refused whole: no such group, an id that is not there yet, too many bytes", async () => {
      const mq = streamQueueOf(await store.open());
      const { lastId } = await filled(mq, 2);
      const save = (group: string, nextId: bigint | undefined, bytes: number) =>
        mq.saveResumePoints(group, [{ channel: "c", nextId, position: new Uint8Array(bytes) }]);

      await expect(save("nobody", undefined, 1)).rejects.toMatchObject({ code: "group-not-found" });
      await expect(save("g", lastId + 2n, 1)).rejects.toMatchObject({ code: "position-ahead" });
      await expect(save("g", undefined, 65_537)).rejects.toMatchObject({ code: "too-large", details: { limit: 65_536, size: 65_537 } });

      expect([await kept(mq), await cursor(mq)]).toEqual([undefined, undefined]);
    });

    it("move it in the order of calls: behind the consumes called before, before those called after", async () => {
      const mq = streamQueueOf(await store.open());
      const { firstId } = await filled(mq, 10);
      const save = (nextId: bigint) => mq.saveResumePoints("g", [{ channel: "c", nextId, position: position("any") }]);

      const first = mq.consume("g", "c", 2);
      const forward = save(firstId + 5n);
      const second = mq.consume("g", "c", 2);
      const third = mq.consume("g", "c", 1);
      const back = save(firstId + 1n);
      const last = mq.consume("g", "c", 2);

      expect([texts(await first), texts(await second), texts(await third)]).toEqual([["0", "1"], ["5", "6"], ["7"]]);
      expect(texts(await last)).toEqual(["1", "2"]);
      await Promise.all([forward, back]);
      expect(await cursor(mq)).toBe(firstId + 3n);
    });

    it("move it before a consume called after them, when there is enough to see where it stands", async () => {
      const mq = streamQueueOf(await store.open());
      const { firstId } = await filled(mq, 10);
      await mq.consume("g", "c", 1);

      const saved = mq.saveResumePoints("g", [{ channel: "c", nextId: firstId + 5n, position: position("five") }]);
      const consumed = await mq.consume("g", "c", 2);

      await saved;
      expect(texts(consumed)).toEqual(["5", "6"]);
      expect(await cursor(mq)).toBe(firstId + 7n);
    });

    it("redirect a consume that waits", async () => {
      const mq = streamQueueOf(await store.open());
      const { firstId } = await filled(mq, 3);
      await mq.consume("g", "c", 10);

      const waiting = mq.consume("g", "c", 10, { waitMs: 60_000 });
      await settle();
      await mq.saveResumePoints("g", [{ channel: "c", nextId: firstId + 1n, position: position("one") }]);

      expect(texts(await waiting)).toEqual(["1", "2"]);
    });

    it("go with their group", async () => {
      const mq = streamQueueOf(await store.open());
      await filled(mq, 2);
      await mq.saveResumePoints("g", [{ channel: "c", nextId: undefined, position: position("old") }]);

      await mq.destroyConsumerGroup("g");
      await mq.createConsumerGroup("g");

      expect(await kept(mq)).toBeUndefined();
    });
  });
}

for (const store of lastingStores) {
  it(`resume points on ${store.name} are read by a queue that is open for reading only, which saves none`, async () => {
    const place = store.place();
    const writer = streamQueueOf(await place.open());
    await filled(writer, 2);
    await writer.saveResumePoints("g", [{ channel: "c", nextId: undefined, position: position("kept") }]);

    const reader = streamQueueOf(await place.open({ readOnly: true }));

    expect([writer.readOnly, reader.readOnly]).toEqual([false, true]);
    expect(await kept(reader)).toBe("kept");
    await expect(reader.saveResumePoints("g", [])).rejects.toMatchObject({ code: "read-only" });
  });
}

it("resume points are not to be had of a queue that openRocksMq did not open", async () => {
  const [store] = stores;
  const mq = (await store?.open()) ?? expect.fail("there are stores");

  expect(() => streamQueueOf({ ...mq })).toThrow(expect.objectContaining({ code: "invalid-argument", details: { argument: "mq" } }));
});
