/**
 * `npm run test:rocksdb`: the tests that need the optional peer. Arguments go to vitest.
 *
 *     build ─▶ npm pack ─▶ test/rocksdb/node_modules: the peer (npm ci) and our tarball beside it ─▶ vitest
 *
 * The peer's install script is not run: where no binary for this machine comes with it, it would compile RocksDB for an hour. Then nothing
 * can be tested here, which is said aloud, and a report of no tests is left for whoever sums up.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const home = join(root, "test", "rocksdb");
const peer = join(home, "node_modules", "@nxtedition", "rocksdb");

installPeer();
if (binaryLoads()) {
  installTarball();
  process.exitCode = runTests();
} else {
  sayThatNothingRuns();
}

/** As the lock file says; nothing when it is there. */
function installPeer() {
  const wanted = JSON.parse(readFileSync(join(home, "package.json"), "utf8")).dependencies["@nxtedition/rocksdb"];
  const manifest = join(peer, "package.json");
  if (existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version === wanted) return;
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: home, stdio: "inherit" });
}

function binaryLoads() {
  return spawnSync(process.execPath, ["-e", 'require("@nxtedition/rocksdb")'], { cwd: home, stdio: "ignore" }).status === 0;
}

/** The tree as it is. Unpacked by npm itself, so that what is tested is what a user gets. */
function installTarball() {
  execFileSync(process.execPath, ["tools/build.mjs", "--if-needed"], { cwd: root, stdio: "inherit" });
  const folder = mkdtempSync(join(tmpdir(), "tidemark-pack-"));
  try {
    execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit"],
    });
    const tarball = join(folder, readdirSync(folder)[0] ?? "no tarball");
    const install = ["install", "--no-save", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--silent", tarball];
    rmSync(join(home, "node_modules", "tidemark"), { recursive: true, force: true });
    execFileSync("npm", install, { cwd: home, stdio: "inherit" });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runTests() {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const args = [vitest, "run", "--config", "vitest.rocksdb.config.ts", ...process.argv.slice(2)];
  return spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" }).status ?? 1;
}

function sayThatNothingRuns() {
  const line = "!".repeat(100);
  console.error(
    `${line}\n@nxtedition/rocksdb has no binary for ${process.platform}-${process.arch}: NOTHING of the RocksDB engine was tested.\n${line}`,
  );
  const report = process.argv.find((argument) => argument.startsWith("--outputFile.json="))?.split("=")[1];
  if (report !== undefined) writeFileSync(report, JSON.stringify({ testResults: [] }));
}
