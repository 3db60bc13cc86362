import type { MessageId } from "../message/index.js";

/**
 * What happens to a stream. `missed`: how many were dropped right before this one.
 *
 * "stalled": no pack comes, because these channels give no tick; `sinceMs` is when the last one came, or the wait began, by the clock (Unix milliseconds). "resumed": one
 * came. "late": so many messages of the pack just handed over were behind the watermark. "poison": a record did not decode.
 */
export type MsgStreamEvent = { readonly missed?: number } & (
  | { readonly type: "stalled"; readonly channels: readonly string[]; readonly sinceMs: number; readonly bufferedBytes: number }
  | { readonly type: "resumed" }
  | { readonly type: "late"; readonly channel: string; readonly messages: number }
  | { readonly type: "poison"; readonly channel: string; readonly id: MessageId; readonly error: Error }
);
