/**
 * The ways in which a log can be written, for the explorer to go through each.
 */
import { openSegmentEngine } from "../../src/storage/index.js";
import { inProcessThread } from "../segment/in-process-thread.js";
import type { OpenEngine } from "./engine-run.js";

/** A host of the log's writer, with prefill or without. */
export const hosts: readonly { readonly name: string; readonly open: OpenEngine }[] = [
  { name: "inline, prefilled", open: (options) => openSegmentEngine({ ...options, prefill: "always" }) },
  { name: "by a thread", open: (options) => openSegmentEngine({ ...options, prefill: "off" }, inProcessThread) },
  { name: "by a thread, prefilled", open: (options) => openSegmentEngine({ ...options, prefill: "always" }, inProcessThread) },
];
