/**
 * Makes messages out of what a back-end keeps.
 */
import { isTidemarkError, TidemarkError } from "../base/errors.js";
import type { LogRecord } from "../backend/index.js";
import { isStreamingRecord, type MessageId, type TsMsg, unmarshalRecord } from "../message/index.js";
import type { StreamSettings } from "./options.js";
import type { StreamRecord } from "./stream-record.js";

/** Decodes the records of a stream's channels. */
export class RecordReader {
  readonly #settings: StreamSettings;
  readonly #onPoison: (channel: string, id: MessageId, error: Error) => void;

  constructor(settings: StreamSettings, onPoison: (channel: string, id: MessageId, error: Error) => void) {
    this.#settings = settings;
    this.#onPoison = onPoison;
  }

  /**
   * The record with its message and place; `bytes` is what `bytesOf` says, for whoever has asked already. Records of the streaming write-ahead log are no messages of a stream, and hold nothing here.
   *
   * @throws `corrupt` for one that does not decode, unless such are skipped
   */
  read(record: LogRecord, channel: string, group: string, bytes?: number): StreamRecord {
    const { id, payload } = record;
    const msg = isStreamingRecord(record) ? undefined : this.#message(record, channel, group);
    return { id, msg, bytes: bytes ?? bytesAfter(payload, msg) };
  }

  #message(record: LogRecord, channelName: string, msgGroup: string): TsMsg | undefined {
    const { id: msgId } = record;
    try {
      return unmarshalRecord(record, this.#settings.unmarshal, { channelName, msgId, msgGroup });
    } catch (cause) {
      const error = poison(channelName, msgId, cause);
      this.#onPoison(channelName, msgId, error);
      if (this.#settings.poison === "throw") throw error;
      return undefined;
    }
  }
}

/** What a record takes of a bound in bytes: its own, and what goes with any record. */
export function bytesOf({ payload, properties }: LogRecord): number {
  let bytes = payload.byteLength + bytesAside;
  for (const key in properties) bytes += key.length + (properties[key]?.length ?? 0);
  return bytes;
}

const bytesAside = 64;

/** The same of a record that is decoded, where only the caller's own properties are left to be counted: most messages have none. */
function bytesAfter(payload: Uint8Array, msg: TsMsg | undefined): number {
  let bytes = payload.byteLength + bytesAside + bytesAttached;
  for (const key in msg?.properties) bytes += key.length + (msg.properties[key]?.length ?? 0);
  return bytes;
}

/** What `marshal` attaches is about that long. */
const bytesAttached = 128;

function poison(channel: string, id: MessageId, cause: unknown): TidemarkError<"corrupt"> {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const text = `channel ${JSON.stringify(channel)}, message ${id.toString()}: ${reason}`;
  const place = isTidemarkError(cause, "corrupt") ? cause.details : { offset: 0 };
  return new TidemarkError("corrupt", text, { ...place, file: channel }, { cause });
}
