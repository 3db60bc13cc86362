import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const root = import.meta.dirname;
const installed = join(root, "test", "rocksdb", "node_modules", "tidemark", "dist");

/**
 * Takes what a test imports of `src/` from the package installed beside the peer: the tests are the tree's, what they test is what a user gets.
 * Tests and conformance suites are in no package, and come from the tree.
 */
const fromTheInstalled: Plugin = {
  name: "from-the-installed-package",
  enforce: "pre",
  resolveId: (specifier, importer) => {
    if (importer === undefined || !specifier.startsWith(".")) return undefined;
    const path = relative(join(root, "src"), resolve(dirname(importer), specifier));
    if (path.startsWith("..") || /conformance\/|\.(test|deep)\.js$/.test(path)) return undefined;
    const file = join(installed, path);
    return existsSync(file) ? { id: file, external: true } : undefined;
  },
};

/** `npm run test:rocksdb`: the tests that need the optional peer; `tools/test-rocksdb.mjs` installs it first. */
export default defineConfig({
  plugins: [fromTheInstalled],
  test: {
    include: ["test/rocksdb/*.rocksdb.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    restoreMocks: true,
    maxWorkers: 2,
  },
});
