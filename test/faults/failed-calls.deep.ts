/** Whichever call of a run fails, of the opening, a roll, a checkpoint or a group: the log stops, and nothing acked is missing afterwards. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { contradictions, reopen, saidWith } from "./found.js";
import { runTraced, whyNoStrace } from "./strace.js";

const missing = whyNoStrace();
if (missing !== undefined) console.warn(`FAULTS NOT TESTED: ${missing}`);

describe.skipIf(missing !== undefined)("EIO", () => {
  it.each([
    // Calls are counted a thread: the first so many of each hit every place of a short run.
    ["fdatasync", "thread", 10],
    ["fdatasync", "inline", 10],
    ["fsync", "thread", 4],
    ["fsync", "inline", 4],
    ["pwrite64", "thread", 10],
    ["pwrite64", "inline", 10],
  ])("from any %s of a run on the %s host loses nothing that was acked", async (name, host, tries) => {
    let fired = 0;
    const outcomes = new Set<string>();
    for (let at = 1; at <= tries; at += 1) {
      const dir = mkdtempSync(join(tmpdir(), "tidemark-eio-"));
      try {
        // Once, so that what comes after it could go on, and must not.
        const config = { host, producers: 4, messages: 100, bytes: 30_000, queue: { dir, prefill: "off" } };
        const inject = `${name}:error=EIO:when=${at}`;
        const { code, said, stderr, calls } = await runTraced("write-on", config, { trace: name, inject });
        if (calls.some(({ injected }) => injected)) fired += 1;
        for (const [, ...outcome] of saidWith("failed", said)) outcomes.add(outcome.join(" "));

        expect([code, stderr]).toEqual([0, ""]);
        expect(contradictions(said, await reopen(dir))).toEqual([]);
      } finally {
        rmSync(dir, { recursive: true });
      }
    }
    console.log(`${name}, ${host}: ${fired} of ${tries} faults fired; ${[...outcomes].join(", ") || "no produce failed"}`);

    expect(fired).toBeGreaterThan(0);
    for (const outcome of outcomes) expect(outcome).toMatch(/^io-failed (unknown|none) reopen$/);
  });
});
