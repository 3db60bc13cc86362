/** The same as ack-order.test.ts, under a load that lasts: with segments that are filled ahead of need while others are written. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { judgeAcks, placesOfMessages } from "./ack-order.js";
import { runTraced, whyNoStrace } from "./strace.js";

const missing = whyNoStrace();
if (missing !== undefined) console.warn(`ORDER OF ACKS NOT TESTED: ${missing}`);

describe.skipIf(missing !== undefined)("each ack on stdout", () => {
  it.each([
    ["thread", "auto"],
    ["thread", "off"],
    ["inline", "auto"],
    ["inline", "off"],
  ])("follows a sync that began after its write had ended, on the %s host with prefill %s", async (host, prefill) => {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), "tidemark-acks-")));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const queue = { dir, prefill, segmentBytes: 4 * 1024 * 1024 };
    const config = { host, producers: 8, messages: 6_000, bytes: 20_000, queue };

    const { code, stderr, calls } = await runTraced("write-on", config, { trace: "pwrite64,pwritev,fdatasync,fsync,openat,write" });
    const places = placesOfMessages(dir);
    const { acks, early, prefilled } = judgeAcks(calls, places);
    console.log(`${host}, prefill ${prefill}: ${acks} acks, ${prefilled.length} files that were filled ahead`);

    expect([code, stderr, early]).toEqual([0, "", []]);
    expect(acks).toBe(6_000);
    if (prefill === "auto") expect(prefilled.length).toBeGreaterThan(0);
    else expect(prefilled).toEqual([]);
  });
});
