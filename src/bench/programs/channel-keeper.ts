/**
 * Makes channels with a message in each, opens their queue again, and does nothing for a while.
 *
 *     <folder> <channels> <ms idle>        created <ms> · reopened <ms> · idle <per cent of a core> · handles <count>
 */
import { readdir } from "node:fs/promises";
import { systemClock } from "../../base/clock.js";
import { openOn } from "../log-host.js";
import { endWithParent } from "../program.js";

endWithParent();
const [dir = "", count = "0", idleMs = "0"] = process.argv.slice(2);
const names = Array.from({ length: Number(count) }, (_, at) => `channel ${at}`);

const first = await openOn("thread", { dir });
const createdFrom = systemClock.monotonicMs();
await Promise.all(names.map((name) => first.createChannel(name)));
console.log(`created ${systemClock.monotonicMs() - createdFrom}`);
await Promise.all(names.map((name) => first.produce(name, [{ payload: Buffer.from(name) }])));
await first.close();

const openedFrom = systemClock.monotonicMs();
const mq = await openOn("thread", { dir });
console.log(`reopened ${systemClock.monotonicMs() - openedFrom}`);
// What the opening left to do is done by then.
await idle(200);
const before = process.cpuUsage();
const idleFrom = systemClock.monotonicMs();
await idle(Number(idleMs));
const { user, system } = process.cpuUsage(before);
console.log(`idle ${(user + system) / 10 / (systemClock.monotonicMs() - idleFrom)}`);
console.log(`handles ${await openHandles()}`);
await mq.close();
process.exit();

function idle(ms: number): Promise<void> {
  return new Promise((resolve) => systemClock.setTimer(ms, resolve, { keepAlive: true }));
}

/** NaN on a system that does not list them. */
async function openHandles(): Promise<number> {
  return (await readdir("/proc/self/fd").catch(() => undefined))?.length ?? NaN;
}
