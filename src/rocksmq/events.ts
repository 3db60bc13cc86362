/**
 * What happens to the store, told to whoever listens.
 */
import { EventListeners } from "../base/event-listeners.js";

/** `missed`: how many were dropped right before this one. */
export type RocksMqEvent = { readonly missed?: number } & (
  | { readonly type: "trimmed"; readonly channel: string; readonly beginId: bigint; readonly bytes: number }
  | { readonly type: "retention-blocked"; readonly channel: string; readonly groups: readonly string[]; readonly bytes: number }
  | { readonly type: "retention-forced"; readonly channel: string; readonly groups: readonly string[]; readonly messages: bigint }
  | { readonly type: "compacted"; readonly segments: number; readonly bytesFreed: number }
  | { readonly type: "recovered"; readonly droppedBytes: number; readonly ms: number }
  | { readonly type: "failed"; readonly error: Error }
);

/** All listeners of one queue. */
export class Events extends EventListeners<RocksMqEvent> {}
