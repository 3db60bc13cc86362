import { expect, it } from "vitest";
import { runLockRounds } from "./lock-rounds.js";

it("the directory lock goes to exactly one of many in 300 rounds of random kills", async () => {
  const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 32));
  const report = await runLockRounds({ rounds: 300, contenders: 5, seed });
  console.log(`directory lock, SEED=${seed}: ${JSON.stringify(report)}`);

  expect(report).toMatchObject({ broken: [], left: ["lock.json"] });
  expect(report.killedWhileTrying).toBeGreaterThan(50);
  expect(report.killedAfterwards).toBeGreaterThan(50);
});
