import { expect, it } from "vitest";
import { killRounds } from "./kill-rounds.js";
import { seedOf, tell } from "./seed.js";

it("A writer killed ten times under load has lost nothing acked, torn no batch and used no id twice", async () => {
  const figures = await killRounds(10, seedOf(1));

  tell("kills", figures);
  expect(figures).toMatchObject({ rounds: 10, lost: 0, torn: 0, repeatedIds: 0 });
  expect(figures.acked).toBeGreaterThan(500);
});
