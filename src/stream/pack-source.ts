import type { PlacedReader } from "./place-in-channel.js";

/** Reads channels, from one seek to the next, and pushes packs into a queue. */
export interface PackSource {
  /** Takes the channel on; the reader is the source's from then on. */
  add(placed: PlacedReader): void;
  /** Begins to read. Called once. */
  begin(): void;
  /** No pack is pushed any more; resolves once nothing is held. Idempotent. */
  close(): Promise<void>;
}
