/** A store that is filled for long, with retention, stays as large as it is: on the disk and in memory. */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openRocksMq } from "../../src/rocksmq/index.js";

const mebibyte = 1024 * 1024;
const messageBytes = 1024;
/** Kept of what was written last. */
const keptBytes = 20 * mebibyte;
/** Of a minute's load there are about five times as many. */
const writtenMessages = Number(process.env["FILL_MESSAGES"] ?? 1_000_000);
const roundMessages = 8_000;
const roundBytes = roundMessages * messageBytes;

it("of a gigabyte written and twenty megabytes kept by retention, disk and memory stay flat", { timeout: 600_000 }, async () => {
  const home = mkdtempSync(join(tmpdir(), "tidemark-rocksdb-space-"));
  const dir = join(home, "queue");
  const payload = Buffer.alloc(messageBytes, "abcdefghij");
  const batch = Array.from({ length: 100 }, () => ({ payload }));
  const [disk, memory, kept]: [number[], number[], number[]] = [[], [], []];
  try {
    const mq = await openRocksMq({ dir, engine: "rocksdb" });
    await mq.createChannel("c", { retention: { bytes: keptBytes } });
    for (let written = 0; written < writtenMessages; written += roundMessages) {
      for (let sent = 0; sent < roundMessages; sent += 800) await Promise.all(Array.from({ length: 8 }, () => mq.produce("c", batch)));
      kept.push(Number((await mq.describeChannel("c")).messages) * messageBytes);
      disk.push(bytesOf(dir) / mebibyte);
      memory.push(process.memoryUsage().rss / mebibyte);
    }
    await mq.close();
  } finally {
    rmSync(home, { recursive: true, force: true });
  }

  const half = disk.length / 2;
  // Retention comes after the append that made it too much, and here a batch is told by its share of some megabytes.
  const full = kept.filter((_, round) => (round + 1) * roundBytes > 2 * keptBytes);
  // On a busy machine it may be behind for some rounds: those who produce do not wait for it.
  const usual = [...full].sort((a, b) => a - b).at(full.length / 2) ?? Infinity;
  expect(usual).toBeLessThan(keptBytes + 2 * roundBytes);
  expect(Math.max(...full)).toBeLessThan(4 * keptBytes);
  expect(Math.min(...full)).toBeGreaterThan(keptBytes - roundBytes);
  const most = { disk: Math.max(...disk), memory: Math.max(...memory) };
  const range = [Math.min(...full), Math.max(...full)].map((bytes) => (bytes / mebibyte).toFixed(1)).join(" to ");
  process.stdout.write(`${range} MiB kept, at most ${Math.round(most.disk)} MiB on the disk, ${Math.round(most.memory)} MiB in memory\n`);
  expect(most.disk).toBeLessThan(512);
  expect(Math.max(...disk.slice(half))).toBeLessThan(1.5 * Math.max(...disk.slice(0, half)));
  expect(Math.max(...memory.slice(half))).toBeLessThan(Math.max(...memory.slice(0, half)) + 64);
});

function bytesOf(dir: string): number {
  return readdirSync(dir).reduce((sum, name) => sum + (statSync(join(dir, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}
