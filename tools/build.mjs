/**
 * `npm run build`: src/ → dist/, file by file.
 *
 *     tsc ─▶ .dist-<pid>/ ─▶ what changed is renamed into dist/, what has no source any more is removed
 *
 * Never a moment in which dist/ is missing or a file of it is half written: tests and people run it while others build.
 * With `--if-needed` nothing happens when no source is newer than the last build; the tests' global set-up calls it so.
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, "dist");
const stamp = join(root, "node_modules", ".cache", "tidemark", "built");
const entry = join(dist, "cli", "main.js");

if (!process.argv.includes("--if-needed") || isStale()) process.exitCode = build();

/** Whether a source, a setting or the build itself is younger than the last build. */
function isStale() {
  if (!existsSync(stamp) || !existsSync(join(dist, "index.js"))) return true;
  const built = statSync(stamp).mtimeMs;
  const settings = ["tsconfig.json", "tsconfig.build.json", "package.json", "tools/build.mjs"].map((file) => join(root, file));
  // Folders too: one that lost a file is younger than the build that still has it.
  const sources = readdirSync(join(root, "src"), { recursive: true }).map((name) => join(root, "src", name));
  return [...settings, ...sources].some((path) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > built);
}

/** The compiler's exit code. A type error does not keep the JavaScript from being there; a test run says it elsewhere. */
function build() {
  const startedAt = new Date();
  const fresh = join(root, `.dist-${process.pid}`);
  try {
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    const { status } = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", fresh], { cwd: root, stdio: "inherit" });
    if (!existsSync(fresh)) return status || 1;
    copyData(fresh);
    replaceWhatChanged(fresh);
    if (existsSync(entry)) chmodSync(entry, 0o755);
    // Dated at the start: a source saved meanwhile is younger than this build.
    mkdirSync(dirname(stamp), { recursive: true });
    writeFileSync(stamp, startedAt.toISOString());
    utimesSync(stamp, startedAt, startedAt);
    return status ?? 1;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** What a source reads beside itself (the tour's data) goes where its JavaScript goes. */
function copyData(fresh) {
  for (const file of filesBelow(join(root, "src")).filter((name) => !/\.(ts|md)$/.test(name))) {
    mkdirSync(dirname(join(fresh, file)), { recursive: true });
    cpSync(join(root, "src", file), join(fresh, file));
  }
}

/** Renames one file at a time, so that whoever starts from dist/ meanwhile reads whole files. */
function replaceWhatChanged(fresh) {
  const files = filesBelow(fresh);
  for (const file of files) {
    const target = join(dist, file);
    if (existsSync(target) && readFileSync(target).equals(readFileSync(join(fresh, file)))) continue;
    mkdirSync(dirname(target), { recursive: true });
    renameSync(join(fresh, file), target);
  }
  const kept = new Set(files);
  for (const file of filesBelow(dist)) if (!kept.has(file)) rmSync(join(dist, file));
}

/** Paths below `folder`, files only. */
function filesBelow(folder) {
  return readdirSync(folder, { recursive: true }).filter((name) => statSync(join(folder, name)).isFile());
}
