import { configDefaults, defineConfig } from "vitest/config";
import { threadsFromDist } from "./test/threads-from-dist.js";

/** Those that simulate the disk and the clock: nothing but arithmetic, so they don't disturb each other. */
const simulated = [
  "src/storage/conformance/any-history.deep.ts",
  "src/message/million-properties.deep.ts",
  "test/crash/{damage,explorer,full-disk,hosts,mutants,queue,read-only}.deep.ts",
  "test/meta/channel-lives.deep.ts",
  "test/rocksmq/any-order.deep.ts",
  "test/stream/{aligner,stream-lives}.deep.ts",
];

/** Those that start processes on the real disk and mostly wait for both. Nothing of them is measured, so others may run meanwhile. */
const waiting = [
  "src/storage/segment/threaded-engine.deep.ts",
  "test/crash/kill.deep.ts",
  "test/end-to-end/{backup,bad-input,beside-a-writer,commands,pipes,salvage}.deep.ts",
  "test/examples/twice.deep.ts",
  "test/faults/{ack-order,failed-calls}.deep.ts",
  "test/meta/channel-kill.deep.ts",
  "test/package/{api-report,package}.deep.ts",
  "test/stream/kill.deep.ts",
];

/** One more than cores: while one waits for the disk the others reckon. */
const together = { maxWorkers: 3, maxConcurrency: 3, sequence: { groupOrder: 0 } };

const shared = {
  globalSetup: ["test/build-once.ts"],
  testTimeout: 15 * 60_000,
  hookTimeout: 60_000,
  restoreMocks: true,
};

/** The deep tier: `npm run test:deep`. Minutes of crashes, kills and load. */
export default defineConfig({
  test: {
    projects: [
      {
        plugins: [threadsFromDist],
        test: { ...shared, ...together, name: "simulated", include: simulated },
      },
      {
        plugins: [threadsFromDist],
        test: { ...shared, ...together, name: "waiting", include: waiting },
      },
      {
        // One file at a time: what is measured, or must have done so much in its time, must not starve.
        plugins: [threadsFromDist],
        test: {
          ...shared,
          name: "real",
          include: ["src/**/*.deep.ts", "test/**/*.deep.ts"],
          exclude: [...configDefaults.exclude, ...simulated, ...waiting],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
