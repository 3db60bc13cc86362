import { expect, it } from "vitest";
import { silentLogger } from "./logger.js";

it("says nothing when nobody gave a logger", () => {
  for (const level of ["debug", "info", "warn", "error"] as const) expect(silentLogger[level]({ n: 1 }, "text")).toBeUndefined();
});
