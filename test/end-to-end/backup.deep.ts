/** The backup that docs/operations.md has, beside a writer under load: every copy is a sound queue with all that was acked before. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { openRocksMq, type RocksMq } from "../../src/rocksmq/index.js";
import { bundle } from "../crash/bundle.js";
import { KillBooks } from "../crash/kill-books.js";
import { root } from "../layers/imports.js";

const rounds = 12;
const writer = fileURLToPath(new URL("../crash/kill-writer.ts", import.meta.url));
const thread = fileURLToPath(new URL("../../src/storage/segment/log-writer-thread.ts", import.meta.url));

it.each(["off", "auto"])("copies a queue that is written, trimmed and consumed meanwhile: prefill %s", async (prefill) => {
  const place = await mkdtemp(join(tmpdir(), "tidemark-backup-"));
  const dir = join(place, "queue");
  await writeFile(join(place, "writer.mjs"), await bundle(writer));
  await writeFile(join(place, "log-writer-thread.js"), await bundle(thread));
  await writeFile(join(place, "package.json"), JSON.stringify({ type: "module" }));
  const child = spawn(process.execPath, [join(place, "writer.mjs"), dir, "1", "1", "thread", prefill], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const gone = once(child, "exit");
  try {
    const lines: string[] = [];
    const reader = createInterface({ input: child.stdout });
    reader.on("line", (line) => lines.push(line));
    const unacked: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      await written(reader, lines, 100);
      unacked.push(await oneCopy(dir, join(place, `copy-${round}`), lines));
      expect(child.exitCode).toBeNull();
    }
    process.stdout.write(
      `${rounds} copies, ${lines.length} lines of the writer; taken along though acked later, or never: ${unacked.join(" ")}\n`,
    );
  } finally {
    child.kill("SIGKILL");
    await gone;
    await rm(place, { recursive: true, force: true });
  }
});

/** Resolves once the writer has said so many lines more. */
async function written(reader: ReturnType<typeof createInterface>, lines: readonly string[], more: number): Promise<void> {
  const enough = lines.length + more;
  while (lines.length < enough) await once(reader, "line");
}

/** Makes a copy and holds it against what the writer said. How many messages it has of which nobody was told before it began. */
async function oneCopy(dir: string, copy: string, lines: readonly string[]): Promise<number> {
  const books = new KillBooks();
  const before = lines.length;
  for (const line of lines) books.note(line);
  const acked = books.figures.acked;
  await promisify(execFile)(process.execPath, [join(root, "examples", "backup.mjs"), dir, copy]);
  const mq = await openRocksMq({ dir: copy });
  for (const line of lines.slice(before)) if (await mayBeThere(mq, line)) books.note(line);
  await books.compare(mq);
  // It is a queue like any other.
  await mq.produce("a", [{ payload: Buffer.from("after") }]);
  await mq.close();
  await rm(copy, { recursive: true });
  return books.figures.acked - acked + books.figures.unacked;
}

/** Of what was said meanwhile: trims may have come or not; a batch is there if the copy goes so far. */
async function mayBeThere(mq: RocksMq, line: string): Promise<boolean> {
  const [what, channel = "", , firstId = "0"] = line.split(" ");
  if (what !== "acked") return what === "trimming";
  return BigInt(firstId) < (await mq.describeChannel(channel)).endId;
}
