import { expect, it } from "vitest";
import { killRounds } from "./kill-rounds.js";
import { seedOf, tell } from "./seed.js";

// Each has a store and a writer of its own, and mostly waits for the disk.
it.concurrent.each([
  ["thread", "auto"],
  ["thread", "off"],
  ["inline", "auto"],
  ["inline", "off"],
] as const)(
  "A writer on the %s host with prefill %s, killed a hundred times under load, has lost nothing acked, torn no batch and used no id twice",
  async (host, prefill) => {
    const figures = await killRounds({ rounds: 100, seed: seedOf(Date.now() % 100_000), host, prefill });

    tell("kills", figures);
    expect(figures).toMatchObject({ rounds: 100, lost: 0, torn: 0, repeatedIds: 0 });
    expect(figures.killedInOpening).toBeGreaterThan(5);
    expect(figures.acked).toBeGreaterThan(5000);
    if (prefill === "auto") expect(figures.filledAhead).toBeGreaterThan(5);
  },
);

it.concurrent.each(["thread", "inline"] as const)(
  "A writer on the %s host with retention and compaction, killed fifty times, has lost nothing live, got nothing dead back and used no id twice",
  async (host) => {
    const figures = await killRounds({ rounds: 50, seed: seedOf(Date.now() % 100_000), host, prefill: "off", space: "kept" });

    tell("kills, kept", figures);
    expect(figures).toMatchObject({ rounds: 50, lost: 0, torn: 0, repeatedIds: 0 });
    expect(figures.compacted).toBeGreaterThan(10);
  },
);
