/**
 * A process that makes and destroys channels until it kills itself, so many turns of its event loop after it said so many lines (none: after it began); it says what it asks for before it
 * does, and what it was told.
 *
 *     <dir> <lines> <turns>      open · creating <count> · created <name…> · destroying <name…> · destroyed
 */
import { writeSync } from "node:fs";

/** @type {typeof import("../../../src/meta/index.js")} */
const { openChannelService, openEmbeddedMeta } = await import(new URL("../../../dist/meta/index.js", import.meta.url).href);
/** @type {typeof import("../../../src/rocksmq/index.js")} */
const { openRocksMq } = await import(new URL("../../../dist/rocksmq/index.js", import.meta.url).href);

const [dir = "", lines = "", turns = ""] = process.argv.slice(2);
let left = Number(lines);

if (left === 0) killAfter(Number(turns));
const meta = await openEmbeddedMeta({ dir: `${dir}/meta` });
const mq = await openRocksMq({ dir: `${dir}/queue` });
const service = await openChannelService({ meta, store: mq });
const { descriptions } = await service.describeChannels({ channelNames: [] });
const names = descriptions.map(({ channelName }) => channelName);
say("open");
for (let n = 0; ; n++) {
  const numChannels = 1 + (n % 5);
  say(`creating ${numChannels}`);
  const owner = { role: "r", address: "a", descriptionText: "d" };
  const created = await service.createChannels({ ownerDescription: owner, numChannels });
  say(`created ${created.channelNames.join(" ")}`);
  names.push(...created.channelNames);
  // Of several lots at once, and never all there is.
  const going = names.splice(0, names.length > 12 ? 7 : 2);
  say(`destroying ${going.join(" ")}`);
  await service.destroyChannels({ channelNames: going });
  say("destroyed");
}

/** @param {string} text */
function say(text) {
  writeSync(1, `${text}\n`);
  left -= 1;
  if (left === 0) killAfter(Number(turns));
}

/** @param {number} more */
function killAfter(more) {
  if (more === 0) process.kill(process.pid, "SIGKILL");
  else setImmediate(killAfter, more - 1);
}
