import { configDefaults, defineConfig } from "vitest/config";
import { processWide } from "./test/process-wide.js";
import { threadsFromDist } from "./test/threads-from-dist.js";

const shared = { testTimeout: 30_000, hookTimeout: 30_000, restoreMocks: true };

/** The fast tier: `npm test`. Laws that hold in milliseconds, and a few child processes. */
export default defineConfig({
  test: {
    globalSetup: ["test/build-once.ts"],
    // More than half of the time goes to syncs and child processes; the default would leave one of two cores idle.
    maxWorkers: 4,
    projects: [
      {
        plugins: [threadsFromDist],
        test: {
          ...shared,
          name: "together",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...processWide],
          isolate: false,
          // Thousands of short lives of stores in one process: with the small nursery of a default heap an eighth of the time goes to its collector.
          execArgv: ["--max-semi-space-size=32"],
          sequence: { groupOrder: 0 },
        },
      },
      {
        plugins: [threadsFromDist],
        test: { ...shared, name: "alone", include: [...processWide], sequence: { groupOrder: 1 } },
      },
    ],
  },
});
