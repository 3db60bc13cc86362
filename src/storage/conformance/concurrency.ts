/** Chapter: many at once. */
import { describe, expect, it } from "vitest";
import { Deferred } from "../../base/deferred.js";
import { isTidemarkError } from "../../base/errors.js";
import type { EngineUnderTest } from "./engine-under-test.js";
import { message, openStore, textOf, type TestStore } from "./test-store.js";

/** Registers the chapter. */
export function concurrency(under: EngineUnderTest): void {
  describe("concurrency", () => {
    it("appends of many writers to one channel: none lost, none between the messages of another", async () => {
      const store = await openStore(under);
      await store.create("a");
      const batches = 25;

      const writer = async (w: number): Promise<void> => {
        for (let b = 0; b < batches; b++) await store.append("a", `${w}/${b}/0`, `${w}/${b}/1`, `${w}/${b}/2`);
      };
      await Promise.all(Array.from({ length: 16 }, (_, w) => writer(w)));

      const stored = await store.messages("a");
      expect(stored).toHaveLength(16 * batches * 3);
      expect(stored.findIndex(({ id }, at) => id !== store.view("a").firstId + BigInt(at))).toBe(-1);
      const texts = stored.map(textOf);
      const heads = texts.filter((text) => text.endsWith("/0"));
      expect(texts).toEqual(heads.flatMap((head) => [0, 1, 2].map((n) => head.replace(/0$/, String(n)))));
      for (let w = 0; w < 16; w++) {
        expect(heads.filter((head) => head.startsWith(`${w}/`))).toEqual(Array.from({ length: batches }, (_, b) => `${w}/${b}/0`));
      }
    });

    it("read, decide, write inside a change needs no lock: a hundred increments make a hundred", async () => {
      const store = await openStore(under);

      const increment = (): Promise<void> =>
        store.write((draft) => {
          const before = Number(Buffer.from(draft.get("n")?.value ?? Buffer.from("0")).toString());
          draft.put("n", Buffer.from(String(before + 1)));
        });
      await Promise.all(Array.from({ length: 100 }, increment));

      expect(store.metaText("n")).toBe("100");
    });

    it("a reader that follows the end sees every message once, while writers go on", async () => {
      const store = await openStore(under, { segmentBytes: 64 * 1024 });
      await store.create("a", "noise");
      const total = 300;
      const writing = Promise.all([
        ...Array.from({ length: total }, (_, at) => store.append("a", String(at))),
        ...Array.from({ length: 50 }, () => store.append("noise", "x".repeat(3_000))),
      ]);

      const seen = await follow(store, "a", total);
      await writing;

      expect(seen).toEqual(Array.from({ length: total }, (_, at) => String(at)));
    });

    it("a reader that is overtaken by a trim is told so, and misses nothing else", async () => {
      const store = await openStore(under);
      await store.create("a");
      const total = 400;
      const trimmedOnce = new Deferred<undefined>();
      const work = async (): Promise<void> => {
        for (let at = 0; at < total; at++) {
          await store.append("a", String(at));
          if (at % 40 !== 39) continue;
          await store.trim("a", store.view("a").endId - 5n);
          trimmedOnce.resolve(undefined);
        }
      };
      // It begins where the first trim has been already, so it is overtaken at least once.
      const read = async (): Promise<Sighting[]> => {
        await trimmedOnce.promise;
        return followThroughTrims(store, "a", store.view("a").firstId + BigInt(total));
      };

      const [seen] = await Promise.all([read(), work()]);

      const { firstId } = store.view("a");
      const wrong = seen.filter(
        ({ id, text, jumped }, at) => text !== String(id - firstId) || (!jumped && id !== (seen[at - 1]?.id ?? firstId - 1n) + 1n),
      );
      expect(wrong).toEqual([]);
      expect(seen.some(({ jumped }) => jumped)).toBe(true);
      expect(seen.at(-1)?.text).toBe(String(total - 1));
    });

    it("appends that race the end and the re-creation of their channel are acked into one life, or refused; ids never repeat", async () => {
      const store = await openStore(under);
      await store.create("a");
      const ids: bigint[] = [];
      const append = async (text: string): Promise<void> => {
        try {
          const { firstId, lastId } = await store.append("a", text, text);
          ids.push(firstId, lastId);
        } catch (error) {
          if (!isTidemarkError(error, "channel-not-found")) throw error;
        }
      };

      for (let life = 0; life < 10; life++) {
        const racing = Array.from({ length: 10 }, (_, at) => [
          append(`${life}/${at}`),
          ...(at === 4 ? [store.destroy("a")] : []),
          ...(at === 7 ? [store.create("a")] : []),
        ]);
        await Promise.all(racing.flat());
      }

      expect(ids).toHaveLength(10 * 7 * 2);
      expect(new Set(ids).size).toBe(ids.length);
      expect([...ids].sort((x, y) => (x < y ? -1 : 1))).toEqual(ids);
      // What is left is what came after the last re-creation.
      expect(await store.texts("a")).toEqual(["9/8", "9/8", "9/9", "9/9"]);
    });

    it("channels that come and go beside a busy one do not disturb it", async () => {
      const store = await openStore(under);
      await store.create("busy");
      const churn = async (name: string): Promise<void> => {
        for (let life = 0; life < 10; life++) {
          await store.create(name);
          await store.append(name, "x".repeat(2_000));
          await store.destroy(name);
        }
      };
      const busy = async (): Promise<void> => {
        for (let at = 0; at < 60; at++) await store.append("busy", String(at));
      };

      await Promise.all([busy(), churn("c1"), churn("c2"), churn("c3")]);

      expect(store.names()).toEqual(["busy"]);
      expect(await store.texts("busy")).toEqual(Array.from({ length: 60 }, (_, at) => String(at)));
    });

    it("a change that was acked is seen by every read that begins after it", async () => {
      const store = await openStore(under);
      await store.create("a");
      const reader = store.engine.reader(store.view("a"));

      for (let at = 0; at < 50; at++) {
        const [{ firstId }] = await Promise.all([
          store.write((draft) => draft.append("a", [message(String(at))])),
          reader.read(store.view("a").beginId, 1, 100),
        ]);
        const [found] = await reader.read(firstId, 1, 100);
        expect(found?.id).toBe(firstId);
      }
    });
  });
}

/** Reads until `count` messages have come, asking again as soon as the end moves. */
async function follow(store: TestStore, name: string, count: number): Promise<string[]> {
  const view = store.view(name);
  const reader = store.engine.reader(view);
  const seen: string[] = [];
  let next = view.beginId;
  while (seen.length < count) {
    const some = await reader.read(next, 7, 1_000_000);
    if ((some[0]?.id ?? next) !== next) throw new Error(`a reader that was asked for ${next} gave ${some[0]?.id}`);
    seen.push(...some.map(textOf));
    next = (some.at(-1)?.id ?? next - 1n) + 1n;
    if (some.length === 0) await nextTurn();
  }
  return seen;
}

interface Sighting {
  readonly id: bigint;
  readonly text: string;
  /** Behind a place that was refused as trimmed. */
  readonly jumped: boolean;
}

async function followThroughTrims(store: TestStore, name: string, endId: bigint): Promise<Sighting[]> {
  const view = store.view(name);
  const reader = store.engine.reader(view);
  const seen: Sighting[] = [];
  let next = view.firstId;
  let jumped = false;
  while (next < endId) {
    try {
      const some = await reader.read(next, 3, 1_000_000);
      for (const [at, one] of some.entries()) seen.push({ id: one.id, text: textOf(one), jumped: jumped && at === 0 });
      next = (some.at(-1)?.id ?? next - 1n) + 1n;
      if (some.length > 0) jumped = false;
      // Reading as often as the loop turns would never be overtaken.
      for (let turn = 0; turn < 20; turn++) await nextTurn();
    } catch (error) {
      if (!isTidemarkError(error, "position-trimmed")) throw error;
      next = BigInt(error.details.firstAvailable);
      jumped = true;
    }
  }
  return seen;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
