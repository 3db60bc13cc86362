import { expect, it } from "vitest";
import { liveFor } from "./read-only/live.js";

it("Readers in processes of their own, beside a writer that is killed twice, see every message, whole and in order, for a minute", async () => {
  const figures = await liveFor(60_000);

  console.log(JSON.stringify(figures));
  expect(figures.kills).toBe(2);
  expect(figures.readers.every(({ messages, destroys }) => messages > 10_000 && destroys > 0)).toBe(true);
});
