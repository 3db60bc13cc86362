import { configDefaults, defineConfig } from "vitest/config";
import { threadsFromDist } from "./test/threads-from-dist.js";

/** Those that simulate the disk and the clock: nothing but arithmetic, so two of them don't disturb each other. */
const simulated = [
  "src/storage/conformance/any-history.deep.ts",
  "src/message/million-properties.deep.ts",
  "test/crash/{damage,explorer,hosts,mutants,queue,read-only}.deep.ts",
  "test/meta/channel-lives.deep.ts",
  "test/rocksmq/any-order.deep.ts",
  "test/stream/{aligner,stream-lives}.deep.ts",
];

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
        test: { ...shared, name: "simulated", include: simulated, maxWorkers: 2, sequence: { groupOrder: 0 } },
      },
      {
        // One file at a time: what runs in real time and on the real disk must not starve.
        plugins: [threadsFromDist],
        test: {
          ...shared,
          name: "real",
          include: ["src/**/*.deep.ts", "test/**/*.deep.ts"],
          exclude: [...configDefaults.exclude, ...simulated],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
