/** What the programs of this folder share: a queue on either host of its log, from `dist/`, and a voice. */
import { writeSync } from "node:fs";

/** @typedef {import("../../../src/bench/figure.js").LogHost} LogHost */

/** @type {typeof import("../../../src/bench/log-host.js")} */
const logHost = await import(new URL("../../../dist/bench/log-host.js", import.meta.url).href);

export const { openOn } = logHost;

/** It is said before anything else happens here: written again while the reader is too slow for a stream that somebody has made non-blocking. */
export function say(/** @type {string} */ text) {
  const bytes = Buffer.from(`${text}\n`);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EAGAIN") throw error;
    }
  }
}

/** What came of a call: "ok", or the error's code, effect and advice. */
export async function outcomeOf(/** @type {() => Promise<unknown>} */ call) {
  try {
    await call();
    return "ok";
  } catch (error) {
    const { code, effect, retry } = /** @type {import("../../../src/base/errors.js").TidemarkError} */ (error);
    return `${code} ${effect} ${retry}`;
  }
}

/** A message that can be found in a file, and told from every other one. */
export function marked(/** @type {number} */ number, /** @type {number} */ bytes) {
  return Buffer.from(`[m${number}]`.padEnd(bytes, "."));
}
