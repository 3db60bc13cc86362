/**
 * What the suite needs of a back-end to test it.
 */
import type { MessageId } from "../../message/index.js";
import type { LogBackend } from "../log-backend.js";
import type { BackendManifest } from "../manifest.js";

/** One back-end, over one kind of store. */
export interface BackendUnderTest {
  readonly title: string;
  readonly manifest: BackendManifest;
  /** A log of its own for one test. */
  open(): Promise<LogUnderTest>;
  /** How many histories the random chapter runs. Default 40. */
  readonly histories?: number | undefined;
}

/** A log, with a client of it. */
export interface LogUnderTest {
  readonly backend: LogBackend;
  /** Another client of the same log. Only asked of those who keep "many-clients". */
  another(): Promise<LogBackend>;
  /** All clients go and a new one comes. Only asked of those who keep "keeps-over-reopen". */
  reopen(): Promise<LogBackend>;
  /** The name by which the suite's channel or set of resume points goes in the store, where tests share one. */
  nameOf(label: string): string;
  /** An id that stands far behind this one. */
  farBehind(id: MessageId): MessageId;
  /** Sees to it that the next id of the channel does not follow on its last one. Nothing where that can't be had. */
  leaveGap(label: string): Promise<void>;
  /** Lets so much time pass by the clock that stamps what is stored. */
  passTime(ms: number): Promise<void>;
  /** Closes all. */
  end(): Promise<void>;
}
