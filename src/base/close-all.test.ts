import { describe, expect, it } from "vitest";
import { closeAfter, closeAll, closeTogether } from "./close-all.js";

/** Parts that note when they are closed; those named fail with their name. */
function parts(...failing: readonly string[]): { readonly closed: string[]; part(name: string): { close(): Promise<void> } } {
  const closed: string[] = [];
  const part = (name: string): { close(): Promise<void> } => ({
    close: async () => {
      await Promise.resolve();
      closed.push(name);
      if (failing.includes(name)) throw new Error(name);
    },
  });
  return { closed, part };
}

describe("what consists of parts", () => {
  it("is closed one after the other, all of it, and tells the first failure", async () => {
    const { closed, part } = parts("a", "c");

    await expect(closeAll(part("a").close, part("b").close, part("c").close)).rejects.toThrow("a");

    expect(closed).toEqual(["a", "b", "c"]);
  });

  it("is closed at once, and rejects when the last of it is closed, also when one throws at the call", async () => {
    const { closed, part } = parts("b");
    const thrower = {
      close: (): Promise<void> => {
        throw new Error("at the call");
      },
    };

    await expect(closeTogether([part("a"), part("b"), thrower, part("c")])).rejects.toThrow("b");

    expect(closed).toEqual(["a", "b", "c"]);
  });

  it("is closed after a failure, which is told whatever comes then", async () => {
    const { closed, part } = parts("a");
    const first = new Error("first");

    await expect(closeAfter(first, part("a").close, part("b").close)).rejects.toBe(first);

    expect(closed).toEqual(["a", "b"]);
  });

  it("closes quietly when all goes well", async () => {
    const { closed, part } = parts();

    await closeAll(part("a").close, part("b").close);
    await closeTogether([part("c")]);

    expect(closed).toEqual(["a", "b", "c"]);
  });
});
