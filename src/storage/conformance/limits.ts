/** Chapter: large and many. */
import { describe, expect, it } from "vitest";
import type { NewMessage } from "../engine.js";
import type { EngineUnderTest } from "./engine-under-test.js";
import { message, openStore } from "./test-store.js";

/** Registers the chapter. */
export function limits(under: EngineUnderTest): void {
  describe("limits", () => {
    it("100,000 messages in one append come back, and may be cut anywhere", async () => {
      const store = await openStore(under);
      await store.create("a");
      const count = 100_000;
      const messages: NewMessage[] = Array.from({ length: count }, (_, at) => ({ payload: Buffer.from(String(at)) }));

      const { firstId } = await store.write((draft) => draft.append("a", messages));

      const stored = await store.messages("a");
      expect(stored).toHaveLength(count);
      const wrong = stored.filter(({ id, payload }, at) => id !== firstId + BigInt(at) || Buffer.from(payload).toString() !== String(at));
      expect(wrong).toEqual([]);
      await store.trim("a", firstId + 99_999n);
      expect(await store.texts("a")).toEqual(["99999"]);
    });

    it("a message of 16 MiB and 64 KiB of properties is stored between small ones", async () => {
      const store = await openStore(under);
      await store.create("a");
      const payload = new Uint8Array(16 * 1024 * 1024).map((_, at) => at % 251);
      const properties = { large: "v".repeat(64 * 1024 - 5) };

      await store.append("a", "before");
      await store.write((draft) => draft.append("a", [message("beside"), { payload, properties }]));
      await store.append("a", "after");

      const stored = await store.messages("a");
      expect(stored).toHaveLength(4);
      expect(Buffer.compare(stored[2]?.payload ?? Buffer.of(), payload)).toBe(0);
      expect(stored[2]?.properties).toEqual(properties);
      expect(Buffer.from(stored[3]?.payload ?? []).toString()).toBe("after");
    });

    it("thousands of changes in one turn are all done, in order", async () => {
      const store = await openStore(under);
      await store.create("a");
      const count = 5_000;

      const written = Array.from({ length: count }, (_, at) => store.append("a", String(at)));
      const outcomes = await Promise.all(written);

      const first = outcomes[0]?.firstId ?? 0n;
      expect(outcomes.findIndex(({ firstId }, at) => firstId !== first + BigInt(at))).toBe(-1);
      const texts = await store.texts("a");
      expect(texts.findIndex((text, at) => text !== String(at))).toBe(-1);
      expect(texts).toHaveLength(count);
    });

    it("more bytes in one turn than several segments hold are all there", async () => {
      const store = await openStore(under, { segmentBytes: 64 * 1024 });
      await store.create("a", "b");
      const body = "x".repeat(10_000);

      await Promise.all(Array.from({ length: 200 }, (_, at) => store.append(at % 2 === 0 ? "a" : "b", `${at}:${body}`)));

      const expected = (odd: number): string[] => Array.from({ length: 100 }, (_, at) => `${2 * at + odd}:${body}`);
      expect(await store.texts("a")).toEqual(expected(0));
      expect(await store.texts("b")).toEqual(expected(1));
    });

    it("one change may make, one fill, and one end a thousand channels", async () => {
      const store = await openStore(under);
      const names = Array.from({ length: 1_000 }, (_, at) => `c${at}`);

      await store.write((draft) => {
        for (const name of names) {
          draft.createChannel(name);
          draft.put(`channels/${name}`, Buffer.from(name));
        }
      });
      await store.write((draft) => {
        for (const name of names) draft.append(name, [message(name)]);
      });
      expect(store.names()).toEqual([...names].sort());
      expect(await store.texts("c777")).toEqual(["c777"]);
      await store.write((draft) => {
        for (const name of names.slice(1)) {
          draft.destroyChannel(name);
          draft.delete(`channels/${name}`);
        }
      });

      expect(store.names()).toEqual(["c0"]);
      expect(store.engine.meta.range("channels/").map(({ key }) => key)).toEqual(["channels/c0"]);
      expect(await store.texts("c0")).toEqual(["c0"]);
    });
  });
}
