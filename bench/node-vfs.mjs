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

const ways = {
  blocking: async (path, bytes) => {
    const fd = fs.openSync(path, "r+");
    for (let i = 0; i < writes; i++) {
      fs.writeSync(fd, bytes, 0, bytes.length, i * bytes.length);
      fs.fdatasyncSync(fd);
    }
    fs.closeSync(fd);
  },
  NodeVfs: (path, bytes) => byVfs(path, [bytes]),
  "NodeVfs, 4 parts": (path, bytes) => {
    const quarter = bytes.length / 4;
    return byVfs(
      path,
      [0, 1, 2, 3].map((i) => bytes.subarray(i * quarter, (i + 1) * quarter)),
    );
  },
  FileHandle: async (path, bytes) => {
    const file = await open(path, "r+");
    for (let i = 0; i < writes; i++) {
      await file.write(bytes, 0, bytes.length, i * bytes.length);
      await file.datasync();
    }
    await file.close();
  },
};

async function byVfs(path, parts) {
  const file = await new NodeVfs().open(path, "write");
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  for (let i = 0; i < writes; i++) {
    await file.write(parts, i * bytes);
    await file.sync();
  }
  await file.close();
}

/** Writes per second of `way` into a new file, empty or filled with zeros ahead. */
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

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

try {
  for (const size of [4_096, 65_536]) {
    for (const prefilled of [false, true]) {
      const seen = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
      for (let round = 0; round < rounds; round++) {
        for (const [name, way] of Object.entries(ways)) seen[name].push(await measure(way, Buffer.alloc(size, 7), prefilled));
      }
      console.log(`${size / 1_024} KiB, ${prefilled ? "over a prefilled file" : "appended"}:`);
      for (const [name, values] of Object.entries(seen)) {
        const ratio = median(values.map((value, round) => value / seen.blocking[round]));
        console.log(`  ${name.padEnd(18)} ${Math.round(median(values)).toString().padStart(6)}/s   ${ratio.toFixed(2)}`);
      }
    }
  }
} finally {
  fs.rmSync(dir, { recursive: true });
}
