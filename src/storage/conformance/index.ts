/**
 * What every engine owes, as laws: one suite, a file a chapter.
 *
 * Nothing here knows which engine it runs on. An engine that keeps nothing over its end has no reopening to test, so those laws are
 * not registered for it (`persists`).
 */
import { describe } from "vitest";
import { abortAndClose } from "./abort-and-close.js";
import { anyHistory } from "./any-history.js";
import { appendAndRead } from "./append-and-read.js";
import { channels } from "./channels.js";
import { concurrency } from "./concurrency.js";
import type { EngineUnderTest } from "./engine-under-test.js";
import { events } from "./events.js";
import { ids } from "./ids.js";
import { limits } from "./limits.js";
import { metadata } from "./metadata.js";
import { oldestBatches } from "./oldest-batches.js";
import { orderOfEffect } from "./order-of-effect.js";
import { readers } from "./readers.js";
import { readersBesideTrims } from "./readers-beside-trims.js";
import { reopen } from "./reopen.js";
import { timesAndCounts } from "./times-and-counts.js";
import { trim } from "./trim.js";

export type { EngineUnderTest, SuiteOptions } from "./engine-under-test.js";

/** Registers the suite for one engine; call it at the top of a test file. */
export function engineConformance(engine: EngineUnderTest): void {
  describe(`engine conformance: ${engine.name}`, () => {
    channels(engine);
    appendAndRead(engine);
    ids(engine);
    orderOfEffect(engine);
    trim(engine);
    oldestBatches(engine);
    metadata(engine);
    readers(engine);
    readersBesideTrims(engine);
    timesAndCounts(engine);
    events(engine);
    abortAndClose(engine);
    limits(engine);
    concurrency(engine);
    if (engine.persists) reopen(engine);
    anyHistory(engine);
  });
}
