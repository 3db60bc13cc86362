/**
 * The columns of an insert as values that one can read: one value a row, for people and for JSON.
 *
 *     numbers, texts, flags      as they are; 64 bits as bigint
 *     JSON                       its text
 *     float vectors              arrays of numbers, half precisions decoded
 *     binary vectors, bytes      hex
 *     sparse vectors             { "index": value }
 *     arrays of a row            arrays
 *     a row without a value      null
 */
import { isMessage } from "@bufbuild/protobuf";
import { invalid } from "../base/arguments.js";
import { type FieldData, FieldDataSchema, type ScalarField, type SparseFloatArray, type VectorField } from "./gen/milvus/schema_pb.js";
import type { MsgBody } from "./msg-bodies.js";

/** Column → its values in the order of the rows. */
export type Columns = Readonly<Record<string, readonly unknown[]>>;

/**
 * The columns of an insert, by name; of one without a name, by its field's number. None for a row-based insert.
 *
 * @throws `invalid-argument` for what is no insert's body
 */
export function columnsOf(insert: Pick<MsgBody<"insert">, "fieldsData">): Columns {
  if (typeof insert !== "object" || insert === null) throw invalid("insert", "the body of an insert", insert);
  const { fieldsData } = insert;
  if (!Array.isArray(fieldsData)) throw invalid("insert.fieldsData", "an array of columns", fieldsData);
  const wrong = fieldsData.findIndex((column) => !isMessage(column, FieldDataSchema));
  if (wrong >= 0) throw invalid(`insert.fieldsData[${wrong}]`, `a ${FieldDataSchema.typeName}`, fieldsData[wrong]);
  return Object.fromEntries(insert.fieldsData.map((column) => [column.fieldName || column.fieldId.toString(), valuesOf(column)]));
}

function valuesOf({ field, validData }: FieldData): readonly unknown[] {
  switch (field.case) {
    case "scalars":
      return withNulls(scalars(field.value), validData);
    case "vectors":
      return withNulls(vectors(field.value), validData);
    case "structArrays":
      return [columnsOf({ fieldsData: field.value.fields })];
    case undefined:
      return withNulls([], validData);
  }
}

/** Rows without a value may be left out of the data, or stand there as zeros. */
function withNulls(values: readonly unknown[], valid: readonly boolean[]): readonly unknown[] {
  if (valid.length === 0) return values;
  let next = 0;
  if (values.length === valid.length) return values.map((value, row) => (valid[row] === true ? value : null));
  return valid.map((isValid) => (isValid ? values[next++] : null));
}

function scalars({ data }: ScalarField): readonly unknown[] {
  switch (data.case) {
    case "boolData":
    case "intData":
    case "longData":
    case "floatData":
    case "doubleData":
    case "stringData":
    case "timestamptzData":
    case "geometryWktData":
      return data.value.data;
    case "jsonData":
      return data.value.data.map((bytes) => Buffer.from(bytes).toString("utf8"));
    case "bytesData":
    case "geometryData":
      return data.value.data.map(hex);
    case "arrayData":
      return data.value.data.map(scalars);
    case undefined:
      return [];
  }
}

function vectors({ dim, data }: VectorField): readonly unknown[] {
  const length = Number(dim);
  switch (data.case) {
    case "floatVector":
      return slices(data.value.data.length, length, (from, to) => data.value.data.slice(from, to));
    case "binaryVector":
      return slices(data.value.length, length / 8, (from, to) => hex(data.value.subarray(from, to)));
    case "float16Vector":
      return slices(data.value.length, length * 2, (from, to) => halves(data.value.subarray(from, to), float16));
    case "bfloat16Vector":
      return slices(data.value.length, length * 2, (from, to) => halves(data.value.subarray(from, to), bfloat16));
    case "int8Vector":
      return slices(data.value.length, length, (from, to) => [...new Int8Array(data.value.slice(from, to).buffer)]);
    case "sparseFloatVector":
      return sparse(data.value);
    case "vectorArray":
      return data.value.data.map(vectors);
    case undefined:
      return [];
  }
}

/** Cuts a row of values into vectors of so many; one that is no vector's worth of them, or says no dimension, stays whole. */
function slices<T>(count: number, width: number, cut: (from: number, to: number) => T): T[] {
  if (!Number.isInteger(width) || width <= 0) return count === 0 ? [] : [cut(0, count)];
  return Array.from({ length: Math.ceil(count / width) }, (_, at) => cut(at * width, (at + 1) * width));
}

function sparse({ contents }: SparseFloatArray): readonly unknown[] {
  return contents.map((bytes) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const pairs = Array.from({ length: Math.floor(bytes.byteLength / 8) }, (_, at) => at * 8);
    return Object.fromEntries(pairs.map((at) => [view.getUint32(at, true).toString(), view.getFloat32(at + 4, true)]));
  });
}

function halves(bytes: Uint8Array, read: (bits: number) => number): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: Math.floor(bytes.byteLength / 2) }, (_, at) => read(view.getUint16(at * 2, true)));
}

/** IEEE half precision: 1 bit sign, 5 exponent, 10 fraction. */
function float16(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const [exponent, fraction] = [(bits >> 10) & 0x1f, bits & 0x3ff];
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** The upper half of a float. */
function bfloat16(bits: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, bits << 16);
  return view.getFloat32(0);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}
