/**
 * What `NodeVfs` costs over blocking calls: one write and one sync at a time, as ratios to `writeSync` + `fdatasyncSync` in the same run.
 * `FileHandle` is there to show why `NodeVfs` does not use it.
 *
 *     node bench/node-vfs.mjs [folder] [rounds]        after `npm run build`
 *
 * A disk's own time varies, and so does what else runs: the ways take short turns, and the median over the rounds of each one's ratio in its
 * round is shown.
 */
import * as fs from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NodeVfs } from "../dist/base/node-vfs.js";

const dir = fs.mkdtempSync(join(process.argv[2] ?? tmpdir(), "tidemark-bench-"));
const rounds = Number(process.argv[3] ?? 40);
const writes = 50;

/** @typedef {(path: string, bytes: Uint8Array) => Promise<void>} Way Writes `writes` times, each with a sync, into a file that is there. */

/** @type {{ readonly name: string; readonly way: Way; readonly perSecond: number[] }[]} */
const ways = [
  { name: "blocking", way: blocking, perSecond: [] },
  { name: "NodeVfs", way: (path, bytes) => byVfs(path, [bytes]), perSecond: [] },
  { name: "NodeVfs, 4 parts", way: (path, bytes) => byVfs(path, quarters(bytes)), perSecond: [] },
  { name: "FileHandle", way: byFileHandle, perSecond: [] },
];

try {
  for (const size of [4_096, 65_536]) {
    for (const prefilled of [false, true]) {
      await runRounds(size, prefilled);
      console.log(`${size / 1_024} KiB, ${prefilled ? "over a prefilled file" : "appended"}:`);
      for (const { name, perSecond } of ways) {
        const ratio = median(perSecond.map((value, round) => value / (ways[0]?.perSecond[round] ?? NaN)));
        console.log(`  ${name.padEnd(18)} ${median(perSecond).toFixed(0).padStart(6)}/s   ${ratio.toFixed(2)}`);
      }
    }
  }
} finally {
  fs.rmSync(dir, { recursive: true });
}

/** @type {Way} */
async function blocking(path, bytes) {
  const fd = fs.openSync(path, "r+");
  for (let i = 0; i < writes; i++) {
    fs.writeSync(fd, bytes, 0, bytes.length, i * bytes.length);
    fs.fdatasyncSync(fd);
  }
  fs.closeSync(fd);
}

/** @type {(path: string, parts: readonly Uint8Array[]) => Promise<void>} */
async function byVfs(path, parts) {
  const file = await new NodeVfs().open(path, "write");
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  for (let i = 0; i < writes; i++) {
    await file.write(parts, i * bytes);
    await file.sync();
  }
  await file.close();
}

/** @type {Way} */
async function byFileHandle(path, bytes) {
  const file = await open(path, "r+");
  for (let i = 0; i < writes; i++) {
    await file.write(bytes, 0, bytes.length, i * bytes.length);
    await file.datasync();
  }
  await file.close();
}

/** @param {Uint8Array} bytes */
function quarters(bytes) {
  const length = bytes.length / 4;
  return [0, 1, 2, 3].map((i) => bytes.subarray(i * length, (i + 1) * length));
}

/** @type {(size: number, prefilled: boolean) => Promise<void>} */
async function runRounds(size, prefilled) {
  for (const { perSecond } of ways) perSecond.length = 0;
  for (let round = 0; round < rounds; round++) {
    for (const { way, perSecond } of ways) perSecond.push(await measure(way, Buffer.alloc(size, 7), prefilled));
  }
}

/**
 * Writes per second of `way` into a new file, empty or filled with zeros ahead.
 *
 * @type {(way: Way, bytes: Uint8Array, prefilled: boolean) => Promise<number>}
 */
async function measure(way, bytes, prefilled) {
  const path = join(dir, "file");
  const fd = fs.openSync(path, "w");
  if (prefilled) fs.writeSync(fd, Buffer.alloc(writes * bytes.length));
  fs.fsyncSync(fd);
  fs.closeSync(fd);
  const startedMs = performance.now();
  await way(path, bytes);
  const perSecond = (writes / (performance.now() - startedMs)) * 1_000;
  fs.unlinkSync(path);
  return perSecond;
}

/** @param {readonly number[]} values */
function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
