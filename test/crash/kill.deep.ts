import { expect, it } from "vitest";
import { killRounds } from "./kill-rounds.js";
import { seedOf, tell } from "./seed.js";

it("A writer killed a hundred times under load has lost nothing acked, torn no batch and used no id twice", async () => {
  const figures = await killRounds(100, seedOf(Date.now() % 100_000));

  tell("kills", figures);
  expect(figures).toMatchObject({ rounds: 100, lost: 0, torn: 0, repeatedIds: 0 });
  expect(figures.killedInOpening).toBeGreaterThan(5);
  expect(figures.acked).toBeGreaterThan(5000);
});
