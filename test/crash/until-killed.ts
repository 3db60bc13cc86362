/** A program that writes until it is killed, and what it said meanwhile. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { SeededRandom } from "../../src/testing/seeded-random.js";
import type { KillBooks } from "./kill-books.js";

/** Runs it until it has said so many lines as chance says. Whether it got as far as having the store open. */
export async function untilKilled(
  args: readonly string[],
  { round, random, books }: { readonly round: number; readonly random: SeededRandom; readonly books: KillBooks },
): Promise<boolean> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const gone = once(child, "exit");
  const enough = 1 + random.below(600);
  let lines = 0;
  let opened = false;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === "open") opened = true;
    books.note(line);
    lines += 1;
    if (lines === enough) child.kill("SIGKILL");
  }
  await gone;
  if (child.signalCode !== "SIGKILL") throw new Error(`round ${round}: the writer ended by itself, after ${lines} lines`);
  return opened;
}
