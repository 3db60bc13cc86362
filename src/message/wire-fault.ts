/**
 * Finds where bytes stop being a protobuf message: the path of the field, and the offset.
 *
 * The runtime says only that something is wrong, and lets two kinds of nonsense pass: a field that ends behind the message it is in, and one whose wire
 * type is not its own. So this is asked when the runtime has given up, and by whoever wants to know before it is asked.
 *
 *     tag ─▶ varint | 4 bytes | 8 bytes | length, bytes ─▶ a message of its own? into it, one level down
 *                                                      └─▶ a text? it must be UTF-8
 *                                                      └─▶ packed numbers? they must end where it ends
 *
 * It allocates nothing by a length that it reads, and goes no deeper than the runtime does.
 */
import { isUtf8 } from "node:buffer";
import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";

/** Where it is, and what. */
export interface WireFault {
  /** Names of fields, outermost first; a number where the schema has none. */
  readonly path: readonly string[];
  /** In the bytes given, where the field's value begins, or its tag if that is broken. */
  readonly offset: number;
  readonly what: string;
}

/** Levels of messages inside messages, as in the runtime. */
const deepest = 100;

/** The first fault in these bytes, or undefined when there is none. */
export function findFault(schema: DescMessage, bytes: Uint8Array): WireFault | undefined {
  return new FaultFinder(bytes).message(fieldsOf(schema), bytes.length, 1);
}

/** What a field's value must look like on the wire. */
interface Expected {
  readonly name: string;
  /** The wire type of one value. */
  readonly wireType: number;
  /** Of numbers in a list: they may stand in one length-delimited value. */
  readonly packable: boolean;
  readonly text: boolean;
  /** Of a message or a map's entry. */
  readonly fields: (() => FieldTable) | undefined;
}
type FieldTable = ReadonlyMap<number, Expected>;

const varint = 0;
const eightBytes = 1;
const lengthDelimited = 2;
const startGroup = 3;
const endGroup = 4;
const fourBytes = 5;

/** One walk over one row of bytes. */
class FaultFinder {
  readonly #bytes: Uint8Array;
  /** Never above the length. */
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  message(fields: FieldTable, end: number, depth: number): WireFault | undefined {
    if (depth > deepest) return fault(this.#at, `more than ${deepest} messages inside each other`);
    while (this.#at < end) {
      const start = this.#at;
      const tag = this.#varint(end, 5);
      if (tag === undefined || tag > 0xffff_ffff || tag < 8) return fault(start, "no field begins here");
      const number = Math.floor(tag / 8);
      const field = fields.get(number);
      const found = this.#value(field, number, tag % 8, end, depth);
      if (found !== undefined) return { ...found, path: [field?.name ?? String(number), ...found.path] };
    }
    return undefined;
  }

  #value(field: Expected | undefined, number: number, wireType: number, end: number, depth: number): WireFault | undefined {
    const start = this.#at;
    if (field !== undefined && wireType !== field.wireType && !(field.packable && wireType === lengthDelimited))
      return fault(start, `wire type ${wireType} where ${field.wireType} belongs`);
    switch (wireType) {
      case varint:
        return this.#varint(end, 10) === undefined ? fault(start, "a number without an end") : undefined;
      case eightBytes:
        return this.#skip(8, end);
      case fourBytes:
        return this.#skip(4, end);
      case lengthDelimited:
        return this.#delimited(field, end, depth);
      case startGroup:
        return this.#group(number, end, depth);
      default:
        return fault(start, wireType === endGroup ? "the end of a group that did not begin" : `there is no wire type ${wireType}`);
    }
  }

  #delimited(field: Expected | undefined, end: number, depth: number): WireFault | undefined {
    const start = this.#at;
    const length = this.#varint(end, 10);
    if (length === undefined) return fault(start, "a length without an end");
    if (length > end - this.#at) return fault(start, `${length} bytes where ${end - this.#at} are left`);
    const from = this.#at;
    const to = from + length;
    if (field?.fields !== undefined) return this.message(field.fields(), to, depth + 1);
    if (field?.packable === true) return this.#packed(field.wireType, to);
    this.#at = to;
    return field?.text === true && !isUtf8(this.#bytes.subarray(from, to)) ? fault(from, "a text that is not UTF-8") : undefined;
  }

  #packed(wireType: number, end: number): WireFault | undefined {
    if (wireType !== varint) {
      const width = wireType === eightBytes ? 8 : 4;
      if ((end - this.#at) % width !== 0) return fault(this.#at, `${end - this.#at} bytes of numbers of ${width} bytes`);
      this.#at = end;
      return undefined;
    }
    while (this.#at < end) {
      const start = this.#at;
      if (this.#varint(end, 10) === undefined) return fault(start, "a number without an end");
    }
    return undefined;
  }

  /** Groups are older than protobuf 3 and in no message of ours; what they hold is only skipped. */
  #group(number: number, end: number, depth: number): WireFault | undefined {
    const open = [number];
    while (this.#at < end) {
      const start = this.#at;
      const tag = this.#varint(end, 5);
      if (tag === undefined || tag > 0xffff_ffff || tag < 8) return fault(start, "no field begins here");
      const inner = Math.floor(tag / 8);
      if (tag % 8 === startGroup) {
        open.push(inner);
        if (depth + open.length > deepest) return fault(start, `more than ${deepest} groups inside each other`);
      } else if (tag % 8 === endGroup) {
        if (open.pop() !== inner) return fault(start, "the end of a group that did not begin");
        if (open.length === 0) return undefined;
      } else {
        const found = this.#value(undefined, inner, tag % 8, end, depth);
        if (found !== undefined) return found;
      }
    }
    return fault(this.#at, "a group without an end");
  }

  #skip(length: number, end: number): WireFault | undefined {
    if (length > end - this.#at) return fault(this.#at, `${length} bytes where ${end - this.#at} are left`);
    this.#at += length;
    return undefined;
  }

  /** Exact up to 2^53; beyond it only whether it ends counts. Undefined when it does not end in time. */
  #varint(end: number, most: number): number | undefined {
    let value = 0;
    let unit = 1;
    for (let count = 0; count < most && this.#at < end; count++) {
      const byte = this.#bytes[this.#at++] ?? 0;
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) return value;
      unit *= 0x80;
    }
    return undefined;
  }
}

function fault(offset: number, what: string): WireFault {
  return { path: [], offset, what };
}

/** Tables are made once a schema, when first asked for: schemas may hold themselves. */
const tables = new WeakMap<DescMessage, FieldTable>();

function fieldsOf(schema: DescMessage): FieldTable {
  const known = tables.get(schema);
  if (known !== undefined) return known;
  const table: FieldTable = new Map(schema.fields.map((field) => [field.number, expectedOf(field)]));
  tables.set(schema, table);
  return table;
}

function expectedOf(field: DescField): Expected {
  const { name } = field;
  switch (field.fieldKind) {
    case "scalar":
      return scalar(name, field.scalar, false);
    case "enum":
      return scalar(name, ScalarType.INT32, false);
    case "message": {
      const { message } = field;
      return nested(name, () => fieldsOf(message));
    }
    case "list": {
      if (field.listKind === "scalar") return scalar(name, field.scalar, true);
      if (field.listKind === "enum") return scalar(name, ScalarType.INT32, true);
      const { message } = field;
      return nested(name, () => fieldsOf(message));
    }
    case "map": {
      const entry: FieldTable = new Map([
        [1, scalar("key", field.mapKey, false)],
        [2, mapValue(field)],
      ]);
      return nested(name, () => entry);
    }
  }
}

function mapValue(field: DescField & { fieldKind: "map" }): Expected {
  if (field.mapKind !== "message") return scalar("value", field.mapKind === "scalar" ? field.scalar : ScalarType.INT32, false);
  const { message } = field;
  return nested("value", () => fieldsOf(message));
}

function nested(name: string, fields: () => FieldTable): Expected {
  return { name, wireType: lengthDelimited, packable: false, text: false, fields };
}

function scalar(name: string, type: ScalarType, list: boolean): Expected {
  const wireType = wireTypeOf(type);
  return { name, wireType, packable: list && wireType !== lengthDelimited, text: type === ScalarType.STRING, fields: undefined };
}

function wireTypeOf(type: ScalarType): number {
  switch (type) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return lengthDelimited;
    case ScalarType.DOUBLE:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return eightBytes;
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return fourBytes;
    default:
      return varint;
  }
}
