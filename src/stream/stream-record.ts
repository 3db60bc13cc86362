/**
 * A record of one channel as a stream sees it: read, decoded, and with its place in the log.
 */
import type { MessageId, TsMsg } from "../message/index.js";

/** One record, in the order of its channel's log. */
export interface StreamRecord {
  readonly id: MessageId;
  /** Undefined for a record that holds nothing for a stream: it did not decode, or is of another kind. It was read all the same. */
  readonly msg: TsMsg | undefined;
  /** What it takes of the bounds in bytes. */
  readonly bytes: number;
}
