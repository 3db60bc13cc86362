import { defineConfig } from "vitest/config";
import { threadsFromDist } from "./test/threads-from-dist.js";

/** The deep tier: `npm run test:deep`. Minutes of crashes, kills and load; one file at a time, so that they don't starve each other. */
export default defineConfig({
  plugins: [threadsFromDist],
  test: {
    include: ["src/**/*.deep.ts", "test/**/*.deep.ts"],
    globalSetup: ["test/build-once.ts"],
    testTimeout: 15 * 60_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    restoreMocks: true,
  },
});
