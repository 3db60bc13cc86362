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
  return faultOf({ bytes, readTexts: true, path: [], offset: 0, what: "" }, schema);
}

/** The same, but texts are not looked at: for bytes that the runtime is given next, which does. */
export function findMisfit(schema: DescMessage, bytes: Uint8Array): WireFault | undefined {
  return faultOf({ bytes, readTexts: false, path: [], offset: 0, what: "" }, schema);
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
  readonly fields: FieldTable | undefined;
}
/** By number; most numbers are small. Filled after it was made, since messages may hold themselves. */
type FieldTable = (Expected | undefined)[];

const varint = 0;
const eightBytes = 1;
const lengthDelimited = 2;
const startGroup = 3;
const endGroup = 4;
const fourBytes = 5;

/** Bytes of the longest number, and of the longest tag. */
const longestVarint = 10;
const longestTag = 5;

/** One walk over one row of bytes, and what it has found. Every function takes a place and gives the next one; -1: a fault was found. */
interface Walk {
  readonly bytes: Uint8Array;
  readonly readTexts: boolean;
  readonly path: string[];
  offset: number;
  what: string;
}

function faultOf(walk: Walk, schema: DescMessage): WireFault | undefined {
  return messageEnd(walk, tableOf(schema), 0, walk.bytes.length, 1) < 0 ? walk : undefined;
}

function messageEnd(walk: Walk, fields: FieldTable, from: number, end: number, depth: number): number {
  if (depth > deepest) return fault(walk, from, `more than ${deepest} messages inside each other`);
  let at = from;
  while (at < end) {
    const next = varintEnd(walk.bytes, at, end, longestTag);
    const tag = next < 0 ? 0 : numberAt(walk.bytes, at, next);
    if (tag < 8 || tag > 0xffff_ffff) return fault(walk, at, "no field begins here");
    const field = fields[tag >>> 3];
    at = valueEnd(walk, field, tag, next, end, depth);
    if (at >= 0) continue;
    walk.path.unshift(field?.name ?? String(tag >>> 3));
    return -1;
  }
  return at;
}

function valueEnd(walk: Walk, field: Expected | undefined, tag: number, at: number, end: number, depth: number): number {
  const wireType = tag & 7;
  if (field !== undefined && wireType !== field.wireType && !(field.packable && wireType === lengthDelimited))
    return fault(walk, at, `wire type ${wireType} where ${field.wireType} belongs`);
  switch (wireType) {
    case varint: {
      const next = varintEnd(walk.bytes, at, end, longestVarint);
      return next < 0 ? fault(walk, at, "a number without an end") : next;
    }
    case eightBytes:
      return fixedEnd(walk, at, 8, end);
    case fourBytes:
      return fixedEnd(walk, at, 4, end);
    case lengthDelimited:
      return delimitedEnd(walk, field, at, end, depth);
    case startGroup:
      return groupEnd(walk, tag >>> 3, at, end, depth);
    default:
      return fault(walk, at, wireType === endGroup ? "the end of a group that did not begin" : `there is no wire type ${wireType}`);
  }
}

function fixedEnd(walk: Walk, at: number, length: number, end: number): number {
  return length > end - at ? fault(walk, at, `${length} bytes where ${end - at} are left`) : at + length;
}

function delimitedEnd(walk: Walk, field: Expected | undefined, at: number, end: number, depth: number): number {
  const from = varintEnd(walk.bytes, at, end, longestVarint);
  if (from < 0) return fault(walk, at, "a length without an end");
  const to = from + numberAt(walk.bytes, at, from);
  if (to > end) return fault(walk, at, `${to - from} bytes where ${end - from} are left`);
  if (field === undefined) return to;
  if (field.fields !== undefined) return messageEnd(walk, field.fields, from, to, depth + 1);
  if (field.packable) return packedEnd(walk, field.wireType, from, to);
  return walk.readTexts && field.text && !isUtf8(walk.bytes.subarray(from, to)) ? fault(walk, from, "a text that is not UTF-8") : to;
}

function packedEnd(walk: Walk, wireType: number, from: number, end: number): number {
  if (wireType !== varint) {
    const width = wireType === eightBytes ? 8 : 4;
    return (end - from) % width === 0 ? end : fault(walk, from, `${end - from} bytes of numbers of ${width} bytes`);
  }
  let at = from;
  while (at < end) {
    const next = varintEnd(walk.bytes, at, end, longestVarint);
    if (next < 0) return fault(walk, at, "a number without an end");
    at = next;
  }
  return at;
}

/** Groups are older than protobuf 3 and in no message of ours; what they hold is only skipped. */
function groupEnd(walk: Walk, number: number, from: number, end: number, depth: number): number {
  const open = [number];
  let at = from;
  while (at < end) {
    const next = varintEnd(walk.bytes, at, end, longestTag);
    const tag = next < 0 ? 0 : numberAt(walk.bytes, at, next);
    if (tag < 8 || tag > 0xffff_ffff) return fault(walk, at, "no field begins here");
    if ((tag & 7) === startGroup) {
      open.push(tag >>> 3);
      if (depth + open.length > deepest) return fault(walk, at, `more than ${deepest} groups inside each other`);
    } else if ((tag & 7) === endGroup) {
      if (open.pop() !== tag >>> 3) return fault(walk, at, "the end of a group that did not begin");
      if (open.length === 0) return next;
    }
    at = (tag & 7) === startGroup || (tag & 7) === endGroup ? next : valueEnd(walk, undefined, tag, next, end, depth);
    if (at < 0) return at;
  }
  return fault(walk, at, "a group without an end");
}

/** Where a number ends, or -1 if it does not within so many bytes. */
function varintEnd(bytes: Uint8Array, from: number, end: number, most: number): number {
  const last = Math.min(end, from + most);
  for (let at = from; at < last; at++) if ((bytes[at] ?? 0) < 0x80) return at + 1;
  return -1;
}

/** Exact up to 2^53; a greater one only stays greater. */
function numberAt(bytes: Uint8Array, from: number, end: number): number {
  let value = 0;
  for (let at = end - 1; at >= from; at--) value = value * 0x80 + ((bytes[at] ?? 0) & 0x7f);
  return value;
}

function fault(walk: Walk, offset: number, what: string): -1 {
  walk.offset = offset;
  walk.what = what;
  return -1;
}

/** Tables are made once a schema, when first asked for. */
const tables = new WeakMap<DescMessage, FieldTable>();

function tableOf(schema: DescMessage): FieldTable {
  const known = tables.get(schema);
  if (known !== undefined) return known;
  const table: FieldTable = [];
  tables.set(schema, table);
  for (const field of schema.fields) table[field.number] = expectedOf(field);
  return table;
}

function expectedOf(field: DescField): Expected {
  const { name } = field;
  switch (field.fieldKind) {
    case "scalar":
      return scalar(name, field.scalar, false);
    case "enum":
      return scalar(name, ScalarType.INT32, false);
    case "message":
      return nested(name, tableOf(field.message));
    case "list":
      if (field.listKind === "message") return nested(name, tableOf(field.message));
      return scalar(name, field.listKind === "enum" ? ScalarType.INT32 : field.scalar, true);
    case "map":
      return nested(name, [undefined, scalar("key", field.mapKey, false), mapValue(field)]);
  }
}

function mapValue(field: DescField & { fieldKind: "map" }): Expected {
  if (field.mapKind === "message") return nested("value", tableOf(field.message));
  return scalar("value", field.mapKind === "scalar" ? field.scalar : ScalarType.INT32, false);
}

function nested(name: string, fields: FieldTable): Expected {
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
