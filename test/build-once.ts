/**
 * Vitest's global set-up: makes `dist/` as young as the sources, once, before any test.
 *
 * Tests may therefore start child processes from `dist/` (`process.execPath dist/cli/main.js …`) right after `npm ci`.
 * It costs nothing when no source has changed since the last build. A type error is printed and the run goes on:
 * the JavaScript is there all the same, and `npm test` has typechecked before.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Called by vitest. */
export default function buildOnce(): void {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const { status } = spawnSync(process.execPath, ["tools/build.mjs", "--if-needed"], { cwd: root, stdio: "inherit" });
  if (status !== 0) console.error("build-once: the build reported errors (above); tests that start programs from dist/ may fail by them");
  if (!existsSync(new URL("../dist", import.meta.url)))
    throw new Error("build-once: `npm run build` made no dist/; run it by hand to see why");
}
