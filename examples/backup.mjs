/**
 * A copy of a queue while it is written to. With two arguments it copies a queue of yours; without, one that it makes.
 *
 *     node backup.mjs <the queue's folder> <a folder that is not there yet>
 *
 * Prints
 *     100 more messages were acked before the copy began
 *     the copy has them: true
 */
import { constants } from "node:fs";
import { copyFile, link, mkdir, open, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { openRocksMq } from "tidemark/rocksmq";

/**
 * Copies the queue in `from` to `to`, with all that was acked before the call. The copy is what a killed process would have left: opening it recovers it.
 *
 * @param {string} from
 * @param {string} to
 */
export async function backUp(from, to) {
  const links = `${from}.links-${process.pid}`;
  const { checkpoint, segments } = await holdSegments(from, links);
  try {
    await mkdir(to);
    // From the newest to the oldest: each one that is copied is closed by then, for the next has begun.
    const [newest, ...closed] = segments.reverse();
    if (newest !== undefined) await copyFromItsEnd(join(links, newest), join(to, newest));
    for (const name of closed) await copyFile(join(links, name), join(to, name), constants.COPYFILE_EXCL);
    await store(join(to, "checkpoint"), checkpoint);
  } finally {
    await rm(links, { recursive: true });
  }
}

/**
 * Takes a second name of every segment, so that none goes while it is copied. The checkpoint says which are needed; if there is another one by
 * then, a segment may have gone in between.
 *
 * @param {string} from
 * @param {string} links
 */
async function holdSegments(from, links) {
  for (;;) {
    const checkpoint = await readFile(join(from, "checkpoint"));
    await mkdir(links);
    const segments = (await readdir(from)).filter((name) => name.endsWith(".seg")).sort();
    const gone = (await Promise.allSettled(segments.map((name) => link(join(from, name), join(links, name))))).some(
      ({ status }) => status === "rejected",
    );
    if (!gone && checkpoint.equals(await readFile(join(from, "checkpoint")))) return { checkpoint, segments };
    await rm(links, { recursive: true });
  }
}

/**
 * The writer goes forwards. Whoever copies backwards, a page at a time, has everything that was written before what he has copied already.
 *
 * @param {string} from
 * @param {string} to
 */
async function copyFromItsEnd(from, to) {
  const page = Buffer.alloc(4096);
  const source = await open(from);
  const target = await open(to, "wx");
  try {
    const { size } = await source.stat();
    // As long as the source, also where that ends in zeros: a message may.
    await target.truncate(size);
    for (let at = Math.floor(size / page.length) * page.length; at >= 0; at -= page.length) {
      const { bytesRead } = await source.read(page, 0, page.length, at);
      // Zeros may stay a hole: most of them were filled in ahead of need.
      if (bytesRead > 0 && page.some((byte) => byte !== 0)) await target.write(page, 0, bytesRead, at);
    }
    await target.sync();
  } finally {
    await source.close();
    await target.close();
  }
}

/**
 * @param {string} path
 * @param {Uint8Array} bytes
 */
async function store(path, bytes) {
  const file = await open(path, "wx");
  await file.writeFile(bytes);
  await file.sync();
  await file.close();
}

const [from, to] = process.argv.slice(2);
if (from !== undefined && to !== undefined) await backUp(from, to);
else await show();

async function show() {
  // The copy of an earlier run.
  await rm("./backup-copy", { recursive: true, force: true });
  const mq = await openRocksMq({ dir: "./backup-data" });
  await mq.createChannel("orders", { ifNotExists: true });
  for (let n = 1; n <= 100; n += 1) await mq.produce("orders", [{ payload: Buffer.from(`order ${n}`) }]);
  console.log("100 more messages were acked before the copy began");
  const writing = Promise.all(Array.from({ length: 50 }, (_, n) => mq.produce("orders", [{ payload: Buffer.from(`later ${n}`) }])));
  await backUp("./backup-data", "./backup-copy");
  await writing;
  await mq.close();

  const copy = await openRocksMq({ dir: "./backup-copy" });
  const { messages } = await copy.describeChannel("orders");
  console.log(`the copy has them: ${messages >= 100n}`);
  await copy.close();
}
