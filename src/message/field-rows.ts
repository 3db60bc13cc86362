/**
 * One field of a column-based insert, row by row.
 *
 *     dense      valid  yes no  yes     values  a _ c      a value for each row, also where it is null
 *     compact    valid  yes no  yes     values  a c        values only where it is not
 */
import { create } from "@bufbuild/protobuf";
import { reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import {
  type FieldData,
  FieldDataSchema,
  type ScalarField,
  ScalarFieldSchema,
  type VectorField,
  VectorFieldSchema,
} from "./gen/milvus/schema_pb.js";

/** How many values a field has. */
export function valuesIn({ field }: FieldData): number {
  switch (field.case) {
    case "scalars":
      return scalarCount(field.value);
    case "vectors":
      return vectorCount(field.value);
    case "structArrays":
      return Math.max(0, ...field.value.fields.map(valuesIn));
    default:
      return 0;
  }
}

/** Whether every row has its value. A field without any is let pass, as Milvus does. */
export function fieldFits(field: FieldData, rows: number): boolean {
  const { validData } = field;
  if (field.field.case === undefined) return true;
  if (field.field.case === "structArrays") return field.field.value.fields.every((inner) => fieldFits(inner, rows));
  if (validData.length !== 0 && validData.length !== rows) return false;
  const values = valuesIn(field);
  return values === rows || (validData.length > 0 && values === validData.filter(Boolean).length);
}

/** Whether its values are of a kind that only a newer Milvus knows: they could be of any form, and rows without them would have lost a column. */
export function isStrange({ field, $unknown }: FieldData): boolean {
  if (field.case === "structArrays") return field.value.fields.some(isStrange);
  return field.case === undefined && $unknown !== undefined;
}

/** For a row the place of its value; beyond all values where it has none. */
export function placesIn(field: FieldData): (row: number) => number {
  const { validData } = field;
  const values = valuesIn(field);
  if (validData.length === 0 || values === validData.length) return (row) => row;
  let place = 0;
  const places = validData.map((valid) => (valid ? place++ : values));
  return (row) => places[row] ?? values;
}

/** The field with the one value at `place`, which is that of `row`. */
export function fieldRow(from: FieldData, place: number, row: number): FieldData {
  const { type, fieldName, fieldId, isDynamic, validData, field } = from;
  const made = create(FieldDataSchema, { type, fieldName, fieldId, isDynamic, validData: validData.slice(row, row + 1) });
  switch (field.case) {
    case "scalars":
      made.field = { case: field.case, value: scalarRow(field.value, place) };
      break;
    case "vectors":
      made.field = { case: field.case, value: vectorRow(field.value, place) };
      break;
    case "structArrays": {
      const fields = field.value.fields.map((inner) => fieldRow(inner, placesIn(inner)(row), row));
      made.field = { case: field.case, value: { ...field.value, fields } };
      break;
    }
    case undefined:
  }
  return made;
}

function scalarCount({ data }: ScalarField): number {
  return data.value?.data.length ?? 0;
}

/** All kinds of scalars have one list, called data. */
function scalarRow(scalars: ScalarField, place: number): ScalarField {
  const from = reflect(ScalarFieldSchema, scalars);
  const row = create(ScalarFieldSchema);
  const made = reflect(ScalarFieldSchema, row);
  const kind = ScalarFieldSchema.fields.find((field) => from.isSet(field));
  if (kind?.fieldKind === "message") made.set(kind, listRow(from.get(kind), place));
  return row;
}

function listRow(from: ReflectMessage, place: number): ReflectMessage {
  const made = reflect(from.desc);
  for (const field of from.fields) {
    if (field.fieldKind !== "list") {
      if (from.isSet(field)) made.set(field, from.get(field));
      continue;
    }
    const value: unknown = from.get(field).get(place);
    if (value !== undefined) made.get(field).add(value);
  }
  return made;
}

function vectorCount({ dim, data }: VectorField): number {
  switch (data.case) {
    case "floatVector":
      return data.value.data.length / Number(dim);
    case "sparseFloatVector":
      return data.value.contents.length;
    case "vectorArray":
      return data.value.data.length;
    case undefined:
      return 0;
    default:
      return data.value.byteLength / bytesEach(data.case, Number(dim));
  }
}

function bytesEach(kind: "binaryVector" | "float16Vector" | "bfloat16Vector" | "int8Vector", dim: number): number {
  switch (kind) {
    case "binaryVector":
      return dim / 8;
    case "int8Vector":
      return dim;
    case "float16Vector":
    case "bfloat16Vector":
      return dim * 2;
  }
}

function vectorRow(vectors: VectorField, place: number): VectorField {
  const { dim, data } = vectors;
  const width = Number(dim);
  switch (data.case) {
    case "floatVector":
      return create(VectorFieldSchema, {
        dim,
        data: { case: data.case, value: { data: data.value.data.slice(place * width, (place + 1) * width) } },
      });
    case "sparseFloatVector": {
      const contents = data.value.contents.slice(place, place + 1);
      return create(VectorFieldSchema, { dim, data: { case: data.case, value: { dim: data.value.dim, contents } } });
    }
    case "vectorArray": {
      const { dim: innerDim, elementType } = data.value;
      const value = { dim: innerDim, elementType, data: data.value.data.slice(place, place + 1) };
      return create(VectorFieldSchema, { dim, data: { case: data.case, value } });
    }
    case undefined:
      return create(VectorFieldSchema, { dim });
    default: {
      const bytes = bytesEach(data.case, width);
      return create(VectorFieldSchema, { dim, data: { case: data.case, value: data.value.slice(place * bytes, (place + 1) * bytes) } });
    }
  }
}
