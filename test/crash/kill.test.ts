import { expect, it } from "vitest";
import { killRounds } from "./kill-rounds.js";
import { seedOf, tell } from "./seed.js";

it.each(["thread", "inline"] as const)(
  "A writer on the %s host killed three times under load has lost nothing acked, torn no batch and used no id twice",
  async (host) => {
    const figures = await killRounds({ rounds: 3, seed: seedOf(1), host, prefill: "off" });

    tell("kills", figures);
    expect(figures).toMatchObject({ rounds: 3, lost: 0, torn: 0, repeatedIds: 0 });
    expect(figures.acked).toBeGreaterThan(100);
  },
);

it("A writer with retention and compaction, killed three times, has lost nothing live, got nothing dead back and used no id twice", async () => {
  const figures = await killRounds({ rounds: 3, seed: seedOf(1), host: "thread", prefill: "off", space: "kept" });

  tell("kills, kept", figures);
  expect(figures).toMatchObject({ rounds: 3, lost: 0, torn: 0, repeatedIds: 0 });
});
