/**
 * Imports, and is killed at a place that its arguments name: so many told steps in, and so many microseconds after that.
 *
 *     node import-killed.mjs <from> <into> <engine> <steps> <µs>
 */
import { writeSync } from "node:fs";
import { importMilvusRocksMq, openRocksMq } from "tidemark/rocksmq";

const [from = "", dir = "", engine, steps, microseconds] = process.argv.slice(2);
let told = 0;
const mq = await openRocksMq({ dir, engine: engine === "rocksdb" ? "rocksdb" : "segment" });
await importMilvusRocksMq({
  from,
  into: mq,
  onProgress: ({ topic, messages }) => {
    // At once, before anything else happens.
    writeSync(1, `${JSON.stringify({ topic, messages })}\n`);
    told += 1;
    if (told === Number(steps)) dieIn(Number(microseconds));
  },
});
writeSync(1, "done\n");

/** The import goes on until then: between the looks at the clock, and on the threads that write. @param {number} us */
function dieIn(us) {
  const until = performance.now() + us / 1000;
  const look = () => (performance.now() >= until ? process.kill(process.pid, "SIGKILL") : setImmediate(look));
  look();
}
