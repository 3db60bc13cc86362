/**
 * Random messages of any schema, as plain objects of fields.
 */
import { type DescField, type DescMessage, type DescOneof, ScalarType } from "@bufbuild/protobuf";
import * as fc from "fast-check";

/** Some fields of the schema, with messages inside up to so many levels. */
export function arbitraryFields(schema: DescMessage, depth = 3): fc.Arbitrary<Record<string, unknown>> {
  const members = schema.members.filter((member) => depth > 0 || !holdsMessages(member));
  const model = Object.fromEntries(members.map((member) => [member.localName, arbitraryMember(member, depth)]));
  return fc.record(model, { requiredKeys: [] });
}

function holdsMessages(member: DescField | DescOneof): boolean {
  return member.kind === "oneof" || member.message !== undefined;
}

function arbitraryMember(member: DescField | DescOneof, depth: number): fc.Arbitrary<unknown> {
  if (member.kind === "field") return arbitraryField(member, depth);
  return fc.oneof(...member.fields.map((field) => arbitraryField(field, depth).map((value) => ({ case: field.localName, value }))));
}

function arbitraryField(field: DescField, depth: number): fc.Arbitrary<unknown> {
  switch (field.fieldKind) {
    case "scalar":
      return arbitraryScalar(field.scalar);
    case "enum":
      return arbitraryScalar(ScalarType.INT32);
    case "message":
      return lazily(() => arbitraryFields(field.message, depth - 1));
    case "list":
      return fc.array(arbitraryItem(field, depth), { maxLength: 3 });
    case "map":
      return fc.dictionary(text, arbitraryMapValue(field, depth), { maxKeys: 3 });
  }
}

function arbitraryItem(field: DescField & { fieldKind: "list" }, depth: number): fc.Arbitrary<unknown> {
  if (field.listKind === "message") return lazily(() => arbitraryFields(field.message, depth - 1));
  return arbitraryScalar(field.listKind === "enum" ? ScalarType.INT32 : field.scalar);
}

function arbitraryMapValue(field: DescField & { fieldKind: "map" }, depth: number): fc.Arbitrary<unknown> {
  return field.mapKind === "message" ? lazily(() => arbitraryFields(field.message, depth - 1)) : text;
}

/** A schema that holds itself would be built for ever. */
function lazily<T>(make: () => fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.constant(undefined).chain(make);
}

const text = fc.string({ unit: "grapheme", maxLength: 5 });

function arbitraryScalar(type: ScalarType): fc.Arbitrary<unknown> {
  switch (type) {
    case ScalarType.STRING:
      return text;
    case ScalarType.BYTES:
      return fc.uint8Array({ maxLength: 5 });
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.DOUBLE:
      return fc.double({ noNaN: true });
    case ScalarType.FLOAT:
      return fc.float({ noNaN: true });
    case ScalarType.INT64:
      return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    case ScalarType.UINT64:
      return fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    default:
      return fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
  }
}
