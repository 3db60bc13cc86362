/** An ack comes after the sync that makes its message durable: read off the system calls of a run. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { judgeAcks, placesOfMessages } from "./ack-order.js";
import { runTraced, whyNoStrace } from "./strace.js";

const missing = whyNoStrace();
if (missing !== undefined) console.warn(`ORDER OF ACKS NOT TESTED: ${missing}`);

describe.skipIf(missing !== undefined)("each ack on stdout", () => {
  it.each(["thread", "inline"])("follows a sync that began after its write had ended, on the %s host", async (host) => {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), "tidemark-acks-")));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const config = { host, producers: 8, messages: 300, bytes: 10_000, queue: { dir, prefill: "off" } };

    const { code, stderr, calls } = await runTraced("write-on", config, { trace: "pwrite64,pwritev,fdatasync,fsync,openat,write" });
    const places = placesOfMessages(dir);
    const order = judgeAcks(calls, places);

    expect([code, stderr]).toEqual([0, ""]);
    // 3 MB: over more than one segment.
    expect(new Set([...places.values()].map(({ path }) => path)).size).toBeGreaterThan(1);
    expect(order).toEqual({ acks: 300, early: [], prefilled: [] });
    // A trace in which something is missing is found out.
    const without = (name: string): number =>
      judgeAcks(
        calls.filter((call) => call.name !== name),
        places,
      ).early.length;
    expect([without("fdatasync"), without("pwrite64"), without("fsync")]).toEqual([300, 300, 300]);
  });
});
