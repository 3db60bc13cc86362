/**
 * Waiting without a clock: on a disk in memory everything that can happen happens within some turns of the event loop.
 */
import { FaultFound } from "./fault-found.js";

/** Far more turns than any script takes; what is not settled by then waits for something that never comes. */
const manyTurns = 20_000;

/** One turn of the event loop: what is ready to run has run. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** What `promise` gives; undefined once `stopped` says that it never will; a fault if it waits for ever all the same. */
export async function settled<T>(promise: Promise<T>, stopped: () => boolean = () => false): Promise<T | undefined> {
  let waiting = true;
  const done = (): void => void (waiting = false);
  promise.then(done, done);
  for (let turns = 0; waiting && !stopped(); turns += 1) {
    if (turns === manyTurns) throw new FaultFound("a call never settles");
    await turn();
  }
  if (!waiting) return promise;
  // What was acked before the stop has yet to reach those who asked.
  await turn();
  return undefined;
}
