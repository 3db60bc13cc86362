/** Chapter: what is trimmed or destroyed beside a reader never disturbs it, though whole files may go. */
import { describe, expect, it } from "vitest";
import { isTidemarkError } from "../../base/errors.js";
import type { EngineUnderTest } from "./engine-under-test.js";
import { numbered, openStore, outcomeOf, textOf, type TestStore } from "./test-store.js";

/** Small, so that the channels of a law share many. */
const segmentBytes = 64 * 1024;

/** Registers the chapter. */
export function readersBesideTrims(under: EngineUnderTest): void {
  describe("readers beside trims", () => {
    it("a reader goes on through its channel while those around it are trimmed and destroyed", async () => {
      const store = await openStore(under, { segmentBytes });
      await store.create("kept", "trimmed", "destroyed");
      const texts = numbered(60);
      await fillBeside(store, texts, ["trimmed", "destroyed"]);
      const view = store.view("kept");
      const reader = store.engine.reader(view);

      const seen: string[] = [];
      for (let at = 0; at < texts.length; at++) {
        seen.push(...(await reader.read(view.beginId + BigInt(at), 1, 1_000)).map(textOf));
        if (at === 20) await store.trim("trimmed", store.view("trimmed").endId - 3n);
        if (at === 40) await store.destroy("destroyed");
      }

      expect(seen).toEqual(texts);
      expect(await store.texts("kept")).toEqual(texts);
      expect(await store.texts("trimmed")).toHaveLength(3);
    });

    it("a read that a trim overtakes gives its messages or the refusal, and nothing else", async () => {
      const store = await openStore(under, { segmentBytes });
      await store.create("a", "beside");
      let next = store.view("a").firstId;

      for (let round = 0; round < 12; round++) {
        await fillBeside(store, numbered(6, `${round}/`), ["beside"], "a");
        const view = store.view("a");
        const reads = [0n, 2n, 5n].map((ahead) => outcomeOf(store.engine.reader(view).read(next + ahead, 2, 1_000)));
        await Promise.all([store.trim("a", view.endId), store.trim("beside", store.view("beside").endId)]);

        for (const { texts, code } of await Promise.all(reads)) {
          expect(texts.every((text) => text.startsWith(`${round}/`))).toBe(true);
          expect([undefined, "position-trimmed"]).toContain(code);
          expect(code === undefined ? texts.length : 1).toBeGreaterThan(0);
        }
        next = view.endId;
      }

      expect(await store.texts("a")).toEqual([]);
    });

    it("look-ups and counts that a trim or the channel's end overtakes answer for one moment or the other, or are refused", async () => {
      const store = await openStore(under, { segmentBytes });
      await store.create("a");
      await fillBeside(store, numbered(30), [], "a");
      const view = store.view("a");
      const { firstId } = view;

      const beside = [store.engine.idAt(view, 0), store.engine.countFrom(view, 0n)] as const;
      await store.trim("a", firstId + 10n);
      expect([firstId, firstId + 10n]).toContain(await beside[0]);
      expect([30, 20]).toContain(await beside[1]);

      const last = [answerOf(store.engine.idAt(view, 0)), answerOf(store.engine.countFrom(view, 0n))] as const;
      await store.destroy("a");
      expect([firstId + 10n, "channel-not-found"]).toContain(await last[0]);
      expect([20, "channel-not-found"]).toContain(await last[1]);
    });

    it("what was read stays whole after everything behind it is gone", async () => {
      const store = await openStore(under, { segmentBytes });
      await store.create("a", "beside", "b");
      await fillBeside(store, numbered(40), ["beside"], "a");
      const stored = await store.messages("a");

      await Promise.all([store.destroy("a"), store.destroy("beside")]);
      await fillBeside(store, numbered(40, "other"), ["b"], "b");

      expect(stored.map(textOf)).toEqual(numbered(40));
    });
  });
}

/** Appends `texts` to a channel one by one, each beside more bytes in others than fit into a file many times. */
async function fillBeside(store: TestStore, texts: readonly string[], others: readonly string[], name = "kept"): Promise<void> {
  const bulk = "x".repeat(5_000);
  await Promise.all(texts.flatMap((text) => [store.append(name, text), ...others.map((other) => store.append(other, bulk))]));
}

async function answerOf<T>(asked: Promise<T>): Promise<T | string> {
  try {
    return await asked;
  } catch (error) {
    if (isTidemarkError(error)) return error.code;
    throw error;
  }
}
