import { defineConfig } from "vitest/config";
import { threadsFromDist } from "./test/threads-from-dist.js";

/** The fast tier: `npm test`. Laws that hold in milliseconds, and a few child processes. */
export default defineConfig({
  plugins: [threadsFromDist],
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/build-once.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    restoreMocks: true,
    // Half of the time goes to child processes; the default would leave one of two cores idle.
    maxWorkers: 2,
  },
});
