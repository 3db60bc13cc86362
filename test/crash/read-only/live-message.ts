/**
 * Messages that say by themselves what they are, so that a reader in another process can tell that nothing is wrong, torn or skipped:
 *
 *     a 0 1234 2/5 611|………………      channel a, its life 0, the 1,234th message there, third of a batch of five, 611 bytes
 */

/** What a message says. */
export interface Said {
  readonly channel: string;
  readonly life: number;
  readonly number: number;
  readonly at: number;
  readonly of: number;
  readonly size: number;
}

/** The bytes of a message. */
export function payloadOf({ channel, life, number, at, of, size }: Said): Buffer {
  const label = `${channel} ${life} ${number} ${at}/${of} ${size}|`;
  const payload = Buffer.alloc(Math.max(size, label.length), number % 251);
  payload.write(label, "latin1");
  return payload;
}

/** What these bytes say. @throws unless every one of them is as it should be */
export function read(payload: Uint8Array): Said {
  const [channel = "", life, number, place = "", size] = (Buffer.from(payload).toString("latin1").split("|", 1)[0] ?? "").split(" ");
  const [at, of] = place.split("/");
  const said = { channel, life: Number(life), number: Number(number), at: Number(at), of: Number(of), size: Number(size) };
  if (!payloadOf(said).equals(payload)) throw new Error(`wrong or torn: ${Buffer.from(payload).toString("latin1").slice(0, 60)}`);
  return said;
}
