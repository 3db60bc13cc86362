/** A sync that fails, for real as far as a process can see: EIO out of the system call. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { contradictions, reopen, saidWith } from "./found.js";
import { runTraced, whyNoStrace } from "./strace.js";

const missing = whyNoStrace();
if (missing !== undefined) console.warn(`FAULTS NOT TESTED: ${missing}`);

describe.skipIf(missing !== undefined)("a failed fdatasync (EIO)", () => {
  it.each(["thread", "inline"])("stops the log of the %s host, and nothing acked is missing afterwards", async (host) => {
    const dir = mkdtempSync(join(tmpdir(), "tidemark-eio-"));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const config = { host, producers: 8, messages: 1_000, bytes: 100, queue: { dir, prefill: "off" } };

    const { code, said, stderr, calls } = await runTraced("write-on", config, {
      trace: "fdatasync",
      inject: "fdatasync:error=EIO:when=7+",
    });

    expect([code, stderr]).toEqual([0, ""]);
    expect(calls.some(({ injected }) => injected)).toBe(true);
    expect(saidWith("acked", said).length).toBeGreaterThan(8);
    // All that was in flight is told the same, and whatever comes later is told that it did not happen.
    expect(new Set(saidWith("failed", said).map(([, ...outcome]) => outcome.join(" ")))).toEqual(new Set(["io-failed unknown reopen"]));
    expect(saidWith("then", said).map((words) => words.join(" "))).toEqual([
      "produce io-failed none reopen",
      "createChannel io-failed none reopen",
      "consume io-failed none reopen",
      "close ok",
    ]);
    expect(contradictions(said, await reopen(dir))).toEqual([]);
  });
});
