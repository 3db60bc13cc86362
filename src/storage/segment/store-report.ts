/**
 * What an inspection finds.
 */
import type { BadPlace } from "./segment-verify.js";

/** A channel as its log has it. */
export interface InspectedChannel {
  readonly name: string;
  readonly beginId: bigint;
  readonly endId: bigint;
  readonly messages: number;
  readonly bytes: number;
}

/** A segment file. What it holds is counted only when its bytes were read. */
export interface InspectedSegment {
  readonly number: number;
  readonly file: string;
  /** "sealed": live, ends where its successor says. "last": the log's end is in it. "dead" and "void" files hold nothing of the log. */
  readonly role: "sealed" | "last" | "dead" | "void" | "unknown";
  readonly bytes: number;
  /** Where it ends; what lies behind is no part of the log. */
  readonly end: number | undefined;
  readonly batches: number | undefined;
  readonly messages: number | undefined;
}

/** A batch of messages of the channel asked for. */
export interface InspectedBatch {
  readonly segment: number;
  readonly offset: number;
  readonly bytes: number;
  readonly firstId: bigint;
  readonly lastId: bigint;
  readonly timeMs: number;
}

/** What was found. */
export interface StoreReport {
  readonly dir: string;
  /** The highest term in the log; undefined when the log can't be followed. */
  readonly term: bigint | undefined;
  /** The process that has the store open to write; undefined when none has. */
  readonly openIn: number | undefined;
  /** Whether the last user of the directory closed it. */
  readonly closedCleanly: boolean;
  /** Of a write that is not finished, and not acked: under way, or to be dropped by the next open. */
  readonly unfinishedBytes: number;
  readonly channels: readonly InspectedChannel[];
  readonly segments: readonly InspectedSegment[];
  /** Empty when all that was read is sound. */
  readonly problems: readonly BadPlace[];
}
