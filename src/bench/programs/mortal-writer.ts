/**
 * Writes until it is killed: first up to so many messages, then half a segment more, then on and on.
 *
 *     <folder> <messages>        opened <ms> · enough
 */
import { systemClock } from "../../base/clock.js";
import { openOn } from "../log-host.js";
import { fill } from "../producers.js";
import { endWithParent } from "../program.js";

const messageBytes = 100;
const tailBytes = 32_000_000;

endWithParent();
const [dir = "", messages = "0"] = process.argv.slice(2);
const startedAt = systemClock.monotonicMs();
const mq = await openOn("thread", { dir });
console.log(`opened ${systemClock.monotonicMs() - startedAt}`);
await mq.createChannel("c", { ifNotExists: true });
const { messages: there } = await mq.describeChannel("c");
const { signal } = new AbortController();
const load = { channels: ["c"], messageBytes, batch: 1_000 };
await fill(mq, { ...load, messages: Math.max(0, Number(messages) - Number(there)) }, { signal });
await fill(mq, { ...load, messages: tailBytes / messageBytes }, { signal });
console.log("enough");
// One at a time: the kill finds it with a write under way.
for (;;) await mq.produce("c", [{ payload: Buffer.alloc(messageBytes) }]);
