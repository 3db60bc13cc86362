/**
 * The benchmarks: each claim of speed beside its ceiling, measured in the same run. `tidemark bench` prints them.
 */
export type { BenchSize, Claim } from "./claim.js";
export { claims } from "./claims/index.js";
export { type Figure, type Goal, type Got, type LogHost, type Unit, type Verdict, verdictOf } from "./figure.js";
export type { Machine } from "./machine.js";
export { type BenchOptions, type BenchReport, type ClaimReport, runBench } from "./run-bench.js";
