/**
 * A reader of stores that is made from docs/log-format.md alone: it shares no code with the engine, so that the page is shown to be enough.
 *
 * It takes a directory's files as they are when nobody has the store open, and gives what is in it. Damage throws.
 */
import { crc32 } from "node:zlib";

/** A message, as found. */
export interface ReadMessage {
  readonly id: bigint;
  readonly timeMs: number;
  readonly payload: string;
  readonly properties: Readonly<Record<string, string>>;
}

/** What a store holds. */
export interface ReadStore {
  readonly channels: ReadonlyMap<string, { readonly beginId: bigint; readonly endId: bigint; readonly messages: readonly ReadMessage[] }>;
  readonly keys: ReadonlyMap<string, { readonly value: string; readonly created: bigint; readonly changed: bigint }>;
}

interface Place {
  readonly segment: number;
  readonly offset: number;
}

interface Frame extends Place {
  readonly crc: number;
  readonly kind: number;
  readonly first: boolean;
  readonly last: boolean;
  readonly previous: number;
  readonly durable: Place;
  readonly channel: number;
  readonly baseId: bigint;
  readonly count: number;
  /** Of a copy only. */
  readonly rest: number | undefined;
  readonly timeMs: number;
  readonly body: Buffer;
  /** Behind the padding. */
  readonly end: number;
}

interface Channel {
  readonly name: string;
  beginId: bigint;
  endId: bigint;
  readonly messages: ReadMessage[];
}

/** Reads a store out of its files, by name. */
export function readStore(files: ReadonlyMap<string, Buffer>): ReadStore {
  const reader = new StoreReader(files);
  reader.run();
  const channels = [...reader.channels.values()].map((channel) => {
    const messages = channel.messages.filter(({ id }) => id >= channel.beginId);
    return [channel.name, { beginId: channel.beginId, endId: channel.endId, messages }] as const;
  });
  return { channels: new Map(channels), keys: reader.keys };
}

class StoreReader {
  readonly #files: ReadonlyMap<string, Buffer>;
  readonly channels = new Map<number, Channel>();
  readonly keys = new Map<string, { value: string; created: bigint; changed: bigint }>();
  readonly #sealed: Place[] = [];
  #storeId = 0n;
  #from: Place = { segment: 0, offset: 0 };

  constructor(files: ReadonlyMap<string, Buffer>) {
    this.#files = files;
  }

  run(): void {
    this.#checkpoint();
    for (const { segment, offset: end } of this.#sealed) this.#take(this.#groups(segment, end).groups);
    const chain = this.#chain();
    for (const { segment, end } of chain) this.#take(end === undefined ? this.#lastGroups(segment) : this.#groups(segment, end).groups);
  }

  #checkpoint(): void {
    const file = this.#file("checkpoint");
    const [format, crc, rest] = [file.readUInt32LE(20), file.readUInt32LE(24), file.subarray(28)];
    if (file.toString("latin1", 0, 20) !== "TIDEMARK CHECKPOINT " || format !== 1 || crc32(rest, format) !== crc)
      throw new Error("checkpoint");
    const from = new Cursor(rest);
    this.#storeId = from.u64();
    this.#from = { segment: from.u32(), offset: from.u32() };
    // Next segment, flags, term, floor, next channel, time.
    from.skip(4 + 1 + 8 + 8 + 4 + 8);
    for (let left = from.u32(); left > 0; left--) this.#sealed.push({ segment: from.u32(), offset: from.u32() });
    for (let left = from.u32(); left > 0; left--) this.#channelOf(from);
    from.skip(8);
    for (let left = from.u32(); left > 0; left--) {
      this.keys.set(from.text(), { value: from.text(), created: from.u64(), changed: from.u64() });
    }
  }

  #channelOf(from: Cursor): void {
    const number = from.u32();
    const name = from.text();
    from.skip(8);
    const [beginId, endId] = [from.u64(), from.u64()];
    from.skip(8 + 8);
    from.skip(from.u32() * 44);
    this.channels.set(number, { name, beginId, endId, messages: [] });
  }

  /** From the checkpoint's segment to the last, which has no end yet. */
  #chain(): { segment: number; end: number | undefined }[] {
    const numbers = [...this.#files.keys()].filter((name) => name.endsWith(".seg")).map((name) => Number(name.slice(0, 10)));
    const last = numbers.sort((a, b) => b - a).find((number) => this.#frameAt(number, 0)?.kind === 1);
    if (last === undefined && this.#from.segment === 0) return [];
    if (last === undefined || last < this.#from.segment) throw new Error(`segment ${this.#from.segment} has no header`);
    const chain: { segment: number; end: number | undefined }[] = [{ segment: last, end: undefined }];
    for (let segment = last; segment !== this.#from.segment;) {
      const header = this.#frameAt(segment, 0);
      if (header?.kind !== 1) throw new Error(`header of segment ${segment}`);
      const previous = header.body.readUInt32LE(16);
      if (previous === 0 && this.#from.segment === 0) break;
      if (previous < this.#from.segment) throw new Error(`segment ${segment} follows ${previous}`);
      chain.unshift({ segment: previous, end: header.body.readUInt32LE(20) });
      segment = previous;
    }
    return chain;
  }

  #lastGroups(segment: number): Frame[][] {
    const { groups, end, frames } = this.#groups(segment, undefined);
    const size = this.#segment(segment).length;
    const witnesses = [...frames];
    for (let at = end; at < size; at += 8) {
      const frame = this.#frameAt(segment, at);
      if (frame !== undefined) witnesses.push(frame);
    }
    const known = witnesses.map(({ durable }) => durable).concat(this.#from, this.#mark() ?? []);
    if (known.some((place) => place.segment > segment || (place.segment === segment && place.offset > end))) {
      throw new Error(`segment ${segment} is damaged behind ${end}`);
    }
    return groups;
  }

  #groups(segment: number, end: number | undefined): { groups: Frame[][]; end: number; frames: Frame[] } {
    const groups: Frame[][] = [];
    let at = 0;
    for (let group = this.#groupAt(segment, at, end); group !== undefined; group = this.#groupAt(segment, at, end)) {
      groups.push(group);
      at = group.at(-1)?.end ?? at;
    }
    if (end !== undefined && at !== end) throw new Error(`segment ${segment} is damaged at ${at}`);
    return { groups, end: at, frames: groups.flat() };
  }

  #groupAt(segment: number, offset: number, end = Infinity): Frame[] | undefined {
    const group: Frame[] = [];
    for (let at = offset; at < end;) {
      const frame = this.#frameAt(segment, at);
      const before = group.at(-1);
      if (frame === undefined || frame.first !== (before === undefined) || (before !== undefined && frame.previous !== before.crc))
        return undefined;
      group.push(frame);
      if (frame.last) return group;
      at = frame.end;
    }
    return undefined;
  }

  #frameAt(segment: number, offset: number): Frame | undefined {
    const file = this.#segment(segment);
    if (offset + 64 > file.length) return undefined;
    const from = new Cursor(file.subarray(offset));
    const [crc, length, version, kind, marks] = [from.u32(), from.u32(), from.u8(), from.u8(), from.u8()];
    const end = offset + Math.ceil(length / 8) * 8;
    if (length < 64 || version !== 1 || end > file.length) return undefined;
    if (crc32(file.subarray(offset + 4, offset + length), (this.#seed(segment) ^ offset) >>> 0) !== crc) return undefined;
    if (file.subarray(offset + length, end).some((byte) => byte !== 0)) return undefined;
    from.skip(1 + 4);
    const previous = from.u32();
    const durable = { segment: from.u32(), offset: from.u32() };
    const [channel, baseId, count] = [from.u32(), from.u64(), from.u32()];
    const rest = from.u32();
    const timeMs = from.f64();
    const body = file.subarray(offset + 64, offset + length);
    const place = { segment, offset, end, crc, previous, durable, first: (marks & 1) !== 0, last: (marks & 2) !== 0 };
    return { ...place, kind, channel, baseId, count, rest: (marks & 4) === 0 ? undefined : rest, timeMs, body };
  }

  #mark(): Place | undefined {
    const mark = this.#files.get("mark");
    if (mark?.length !== 12 || crc32(mark.subarray(4), this.#seed(0)) !== mark.readUInt32LE(0)) return undefined;
    return { segment: mark.readUInt32LE(4), offset: mark.readUInt32LE(8) };
  }

  #seed(segment: number): number {
    const place = Buffer.alloc(12);
    place.writeBigUInt64LE(this.#storeId);
    place.writeUInt32LE(segment, 8);
    return crc32(place);
  }

  #take(groups: readonly Frame[][]): void {
    for (const group of groups) {
      const { segment = 0, offset = 0 } = group[0] ?? {};
      const isNews = segment > this.#from.segment || (segment === this.#from.segment && offset >= this.#from.offset);
      for (const frame of group) {
        if (frame.kind === 3 && isNews) this.#records(new Cursor(frame.body), frame.count);
        if (frame.kind === 2) this.#batch(frame, isNews);
      }
    }
  }

  #batch(frame: Frame, isNews: boolean): void {
    const channel = this.channels.get(frame.channel);
    if (channel === undefined) return;
    const from = new Cursor(frame.body);
    for (let id = frame.baseId; id < frame.baseId + BigInt(frame.count); id++) {
      const [propertiesLength, payloadLength] = [from.varint(), from.varint()];
      const properties: Record<string, string> = {};
      for (const end = from.at + propertiesLength; from.at < end;) {
        const key = from.text();
        properties[key] = from.text();
      }
      const message = { id, timeMs: frame.timeMs, payload: from.take(payloadLength).toString(), properties };
      // A copy and its original are one message; which of them is read is all the same.
      const at = channel.messages.findIndex((one) => one.id >= id);
      if (at === -1) channel.messages.push(message);
      else channel.messages.splice(at, channel.messages[at]?.id === id ? 1 : 0, message);
      if (isNews && frame.rest === undefined) channel.endId = id + 1n;
    }
  }

  #records(from: Cursor, count: number): void {
    for (let left = count; left > 0; left--) {
      const type = from.u8();
      if (type === 1) {
        const [number, name, firstId] = [from.u32(), from.text(), from.u64()];
        from.skip(8);
        this.channels.set(number, { name, beginId: firstId, endId: firstId, messages: [] });
      } else if (type === 2 || type === 3 || type === 4) {
        const [number, id] = [from.u32(), from.u64()];
        const channel = this.channels.get(number);
        if (type === 2) this.channels.delete(number);
        if (type !== 3) continue;
        from.varint();
        if (channel !== undefined) channel.beginId = id;
      } else {
        const [revision, key] = [from.u64(), from.text()];
        if (type === 5) this.keys.set(key, { value: from.text(), created: this.keys.get(key)?.created ?? revision, changed: revision });
        else this.keys.delete(key);
      }
    }
  }

  #segment(number: number): Buffer {
    return this.#file(`${String(number).padStart(10, "0")}.seg`);
  }

  #file(name: string): Buffer {
    const file = this.#files.get(name);
    if (file === undefined) throw new Error(`${name} is missing`);
    return file;
  }
}

class Cursor {
  readonly #bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  skip(bytes: number): void {
    this.at += bytes;
  }

  take(bytes: number): Buffer {
    this.at += bytes;
    return this.#bytes.subarray(this.at - bytes, this.at);
  }

  u8(): number {
    return this.take(1).readUInt8();
  }

  u32(): number {
    return this.take(4).readUInt32LE();
  }

  u64(): bigint {
    return this.take(8).readBigUInt64LE();
  }

  f64(): number {
    return this.take(8).readDoubleLE();
  }

  varint(): number {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = this.u8();
      value += (byte & 127) * unit;
      if (byte < 128) return value;
    }
  }

  text(): string {
    return this.take(this.varint()).toString();
  }
}
