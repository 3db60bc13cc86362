import { expect, it } from "vitest";
import { noMetrics } from "./metrics.js";

it("takes every measurement and keeps none when nobody collects them", () => {
  expect(noMetrics.counter("appends", "Batches appended").add(1)).toBeUndefined();
  expect(noMetrics.gauge("segments", "Live segments", ["engine"]).set(1, { engine: "segment" })).toBeUndefined();
  expect(noMetrics.histogram("sync_ms", "Time of a sync").observe(1)).toBeUndefined();
});
