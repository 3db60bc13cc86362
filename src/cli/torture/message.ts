/**
 * Messages that say by themselves which they are, so that whoever finds one can tell every byte of it:
 *
 *     north 17.2.340 3/8 400|………        channel, round, producer, batch; the fourth of eight; 400 bytes
 */

/** Which message it is. */
export interface Said {
  readonly channel: string;
  readonly round: number;
  readonly producer: number;
  /** Of the producer in that round, from 0 on. */
  readonly batch: number;
  readonly at: number;
  readonly of: number;
  readonly bytes: number;
}

/** The bytes of a message. */
export function payloadOf(said: Said): Buffer {
  const { channel, round, producer, batch, at, of, bytes } = said;
  const label = `${channel} ${round}.${producer}.${batch} ${at}/${of} ${bytes}|`;
  const payload = Buffer.alloc(Math.max(bytes, label.length), (round * 31 + batch * 7 + at) % 251);
  payload.write(label, "latin1");
  return payload;
}

/** Undefined unless every byte is as it was written. */
export function saidBy(payload: Uint8Array): Said | undefined {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  const parts = /^(\S+) (\d+)\.(\d+)\.(\d+) (\d+)\/(\d+) (\d+)\|/.exec(bytes.subarray(0, 100).toString("latin1"));
  if (parts === null) return undefined;
  const [round = 0, producer = 0, batch = 0, at = 0, of = 0, size = 0] = parts.slice(2).map(Number);
  const said = { channel: parts[1] ?? "", round, producer, batch, at, of, bytes: size };
  return size <= bytes.length + 100 && payloadOf(said).equals(bytes) ? said : undefined;
}
