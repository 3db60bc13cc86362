/**
 * Reads the properties of one message after the other (see `packed-properties.ts`).
 *
 * Messages of a channel have most texts in common, at the same places. What stood at a place before is compared, not decoded again, and all
 * messages have one string of it.
 */
import { bareRecord } from "../../base/bare-record.js";
import { noProperties, type Properties } from "./packed-properties.js";
import { readVarint, varintBytes } from "./varint.js";

/** Places of a message that are remembered for the next, and how many bytes of each. */
const mostPlaces = 32;
const mostBytes = 128;
/** A text that was another one in so many messages in a row is not remembered any more. */
const mostChanges = 4;

/** A key or a value, as an earlier message had it. */
interface Place {
  bytes: Uint8Array;
  text: string;
  /** Messages in a row that had another one. */
  changes: number;
}

/** One for each reader. */
export class PropertiesReader {
  readonly #places: Place[] = [];
  #body: Buffer = Buffer.alloc(0);
  #at = 0;

  /** Those from `from` to `to` in a checked body. Without a prototype, so that `__proto__` is a key like any other. */
  read(body: Uint8Array, from: number, to: number): Properties {
    if (from === to) return noProperties;
    if (this.#body.buffer !== body.buffer || this.#body.byteOffset !== body.byteOffset) {
      this.#body = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    }
    this.#at = from;
    const properties = bareRecord();
    for (let place = 0; this.#at < to; place += 2) {
      const key = this.#next(place);
      properties[key] = this.#next(place + 1);
    }
    return properties;
  }

  #next(number: number): string {
    const length = readVarint(this.#body, this.#at);
    const from = this.#at + varintBytes(length);
    this.#at = from + length;
    const place = this.#places[number];
    if (place !== undefined && stands(place.bytes, this.#body, from, length)) {
      place.changes = 0;
      return place.text;
    }
    const text = this.#body.toString("utf8", from, this.#at);
    if (number < mostPlaces && length <= mostBytes) this.#remember(number, from, text);
    return text;
  }

  #remember(number: number, from: number, text: string): void {
    const place = (this.#places[number] ??= { bytes: new Uint8Array(0), text: "", changes: 0 });
    place.changes++;
    if (place.changes > mostChanges) return;
    // A copy: a view would hold all that was read with it.
    place.bytes = Uint8Array.prototype.slice.call(this.#body, from, this.#at);
    place.text = text;
  }
}

function stands(bytes: Uint8Array, body: Buffer, from: number, length: number): boolean {
  if (bytes.length !== length) return false;
  for (let at = 0; at < length; at++) if (bytes[at] !== body[from + at]) return false;
  return true;
}
