/**
 * Looks at an object of fields before it becomes a message: every value is of its field's type and range, every text has a UTF-8 form, and no name is
 * one that the schema does not have.
 *
 * The runtime checks little of this, and late: a number where a bigint belongs would be rounded, half of a surrogate pair replaced, a misspelled field left out.
 */
import { type DescEnum, type DescField, type DescMessage, type DescOneof, ScalarType } from "@bufbuild/protobuf";
import { invalid } from "../base/arguments.js";
import { TidemarkError } from "../base/errors.js";
import { isWellFormed } from "../base/well-formed.js";
import { mostUint64 } from "../base/uint64.js";
import { leastInt64, mostInt64 } from "./numbers.js";

/** As deep as a reader goes; an object that holds itself ends here. */
const deepest = 100;

/**
 * @param what names the object in an error: "body"
 * @throws `invalid-argument` with the path of the field
 */
export function checkFields(schema: DescMessage, value: unknown, what: string): void {
  checkMessage(schema, value, what, 1);
}

function checkMessage(schema: DescMessage, value: unknown, path: string, depth: number): void {
  if (depth > deepest) throw invalid(path, `at most ${deepest} messages inside each other`, value);
  if (!isObject(value)) throw invalid(path, `an object with the fields of ${schema.name}`, value);
  const typeName: unknown = Reflect.get(value, "$typeName");
  if (typeName !== undefined && typeName !== schema.typeName) throw invalid(path, `a ${schema.typeName}`, typeName);
  const members = membersOf(schema);
  for (const key of Object.keys(value)) {
    const inner: unknown = Reflect.get(value, key);
    if (inner === undefined || key.startsWith("$")) continue;
    const member = members.get(key);
    if (member === undefined) throw unknownField(schema, `${path}.${key}`, key);
    if (member.kind === "oneof") checkOneof(member, inner, `${path}.${key}`, depth);
    else checkField(member, inner, `${path}.${key}`, depth);
  }
}

function checkOneof(oneof: DescOneof, value: unknown, path: string, depth: number): void {
  if (!isObject(value)) throw invalid(path, 'an object { case: "…", value: … }', value);
  const chosen: unknown = Reflect.get(value, "case");
  if (chosen === undefined) return;
  const field = oneof.fields.find(({ localName }) => localName === chosen);
  if (field === undefined) throw invalid(`${path}.case`, `one of ${oneof.fields.map(({ localName }) => localName).join(", ")}`, chosen);
  checkField(field, Reflect.get(value, "value"), `${path}.value`, depth);
}

function checkField(field: DescField, value: unknown, path: string, depth: number): void {
  switch (field.fieldKind) {
    case "scalar":
      return checkScalar(field.scalar, value, path);
    case "enum":
      return checkEnum(field.enum, value, path);
    case "message":
      return checkMessage(field.message, value, path, depth + 1);
    case "list":
      return checkList(field, value, path, depth);
    case "map":
      return checkMap(field, value, path, depth);
  }
}

function checkList(field: DescField & { fieldKind: "list" }, value: unknown, path: string, depth: number): void {
  if (!Array.isArray(value)) throw invalid(path, "an array", value);
  const items: readonly unknown[] = value;
  if (field.listKind !== "scalar") {
    for (const [at, item] of items.entries()) {
      if (field.listKind === "message") checkMessage(field.message, item, `${path}[${at}]`, depth + 1);
      else checkEnum(field.enum, item, `${path}[${at}]`);
    }
    return;
  }
  // A column may have a million values: no path is put together before one is wrong.
  const { fits } = scalarRule(field.scalar);
  for (let at = 0; at < items.length; at++) if (!fits(items[at])) checkScalar(field.scalar, items[at], `${path}[${at}]`);
}

function checkMap(field: DescField & { fieldKind: "map" }, value: unknown, path: string, depth: number): void {
  if (!isObject(value)) throw invalid(path, "an object", value);
  const { fits } = scalarRule(field.mapKind === "scalar" ? field.scalar : ScalarType.INT32);
  for (const [key, item] of Object.entries(value)) {
    const place = (): string => `${path}[${JSON.stringify(key)}]`;
    if (!isWellFormed(key)) throw invalid(place(), "a key in well-formed Unicode (it has a lone surrogate)", key);
    if (field.mapKind === "message") checkMessage(field.message, item, place(), depth + 1);
    else if (!fits(item)) checkScalar(field.mapKind === "scalar" ? field.scalar : ScalarType.INT32, item, place());
  }
}

/** Enums are open: any int32 may stand there, as a number that this version does not know. */
function checkEnum(type: DescEnum, value: unknown, path: string): void {
  if (!isInt32(value)) throw invalid(path, `a number of ${type.name}`, value);
}

function checkScalar(type: ScalarType, value: unknown, path: string): void {
  const { fits, expected } = scalarRule(type);
  if (!fits(value)) throw invalid(path, expected, value);
}

/** The greatest finite float, as a double. */
const mostFloat = 3.4028234663852886e38;

interface ScalarRule {
  readonly fits: (value: unknown) => boolean;
  readonly expected: string;
}

const text: ScalarRule = {
  fits: (value) => typeof value === "string" && isWellFormed(value),
  expected: "a text in well-formed Unicode (without lone surrogates)",
};
const bytes: ScalarRule = { fits: (value) => value instanceof Uint8Array, expected: "a Uint8Array" };
const flag: ScalarRule = { fits: (value) => typeof value === "boolean", expected: "true or false" };
const double: ScalarRule = { fits: (value) => typeof value === "number", expected: "a number" };
const int32: ScalarRule = { fits: isInt32, expected: "a whole number from -2^31 to 2^31 - 1" };
const uint32: ScalarRule = {
  fits: (value) => typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff,
  expected: "a whole number from 0 to 2^32 - 1",
};
const int64: ScalarRule = {
  fits: (value) => typeof value === "bigint" && value >= leastInt64 && value <= mostInt64,
  expected: "a bigint from -2^63 to 2^63 - 1",
};
const uint64: ScalarRule = {
  fits: (value) => typeof value === "bigint" && value >= 0n && value <= mostUint64,
  expected: "a bigint from 0 to 2^64 - 1",
};
const float: ScalarRule = {
  // Infinity itself and NaN are floats.
  fits: (value) => typeof value === "number" && (!Number.isFinite(value) || Math.abs(value) <= mostFloat),
  expected: "a number within the range of a float",
};

function scalarRule(type: ScalarType): ScalarRule {
  switch (type) {
    case ScalarType.STRING:
      return text;
    case ScalarType.BYTES:
      return bytes;
    case ScalarType.BOOL:
      return flag;
    case ScalarType.DOUBLE:
      return double;
    case ScalarType.FLOAT:
      return float;
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return int32;
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return uint32;
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return int64;
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return uint64;
  }
}

function isInt32(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= -0x8000_0000 && value <= 0x7fff_ffff;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}

function unknownField(schema: DescMessage, path: string, key: string): TidemarkError<"invalid-argument"> {
  const names = [...membersOf(schema).keys()].join(", ");
  return new TidemarkError("invalid-argument", `${path} is no field: ${schema.name} has ${names || "none"}, not ${key}`, {
    argument: path,
  });
}

/** Members by the name they have in an object; made once a schema. */
const memberTables = new WeakMap<DescMessage, ReadonlyMap<string, DescField | DescOneof>>();

function membersOf(schema: DescMessage): ReadonlyMap<string, DescField | DescOneof> {
  const known = memberTables.get(schema);
  if (known !== undefined) return known;
  const table = new Map(schema.members.map((member) => [member.localName, member]));
  memberTables.set(schema, table);
  return table;
}
