/**
 * An insert of many rows, taken apart into inserts of one row each, as Milvus's producer does before it spreads them over channels.
 *
 *     rowIDs       7      8            7  │  8
 *     timestamps  100    101    ──▶   100 │ 101
 *     "pk"         a      b            a  │  b
 *     "vec"      1 2 3  4 5 6       1 2 3 │ 4 5 6
 */
import { create, type DescMessage, isMessage } from "@bufbuild/protobuf";
import { checkBytes, invalid } from "../base/arguments.js";
import { fieldFits, fieldRow, isStrange, placesIn, valuesIn } from "./field-rows.js";
import { MsgBaseSchema } from "./gen/milvus/common_pb.js";
import { DeleteRequestSchema, InsertDataVersion, InsertRequestSchema } from "./gen/milvus/msg_pb.js";
import { baseType } from "./msg-type.js";
import type { MsgBody } from "./msg-bodies.js";
import { timeTickFrom } from "../base/time-tick.js";
import { assemble, checkTsMsg, type TsMsgOf } from "./ts-msg.js";

const insertLists = ["rowIDs", "timestamps", "rowData", "fieldsData"] as const satisfies readonly (keyof InsertBody)[];

type InsertBody = MsgBody<"insert">;

/** The rows of an insert: by its blobs where it is row based, else as it says itself. */
export function insertRowCount(body: InsertBody): number {
  return body.version === InsertDataVersion.RowBased ? body.rowData.length : Number(body.numRows);
}

/**
 * What is wrong with the rows of an insert, if they do not fit together: "3 timestamps for 2 rows".
 *
 * Each row has an id and a timestamp, and a value in every field.
 *
 * @throws `invalid-argument` for what is no insert's body
 */
export function insertFault(body: InsertBody): string | undefined {
  checkBody("body", InsertRequestSchema, body, insertLists);
  const rows = insertRowCount(body);
  const { rowIDs, timestamps } = body;
  if (rowIDs.length !== rows) return `${rowIDs.length} row ids for ${rows} rows`;
  if (timestamps.length !== rows) return `${timestamps.length} timestamps for ${rows} rows`;
  if (body.version === InsertDataVersion.RowBased) return undefined;
  const strange = body.fieldsData.find(isStrange);
  if (strange !== undefined) return `values of a kind that this version does not know in field ${JSON.stringify(strange.fieldName)}`;
  const wrong = body.fieldsData.find((field) => !fieldFits(field, rows));
  return wrong === undefined ? undefined : `${valuesIn(wrong)} values in field ${JSON.stringify(wrong.fieldName)} for ${rows} rows`;
}

/**
 * What is wrong with the keys of a delete, if they do not fit together. A delete by an expression has one timestamp and no keys.
 *
 * @throws `invalid-argument` for what is no delete's body
 */
export function deleteFault(body: MsgBody<"delete">): string | undefined {
  checkBody("body", DeleteRequestSchema, body, ["timestamps"]);
  const { numRows, timestamps, primaryKeys, serializedExprPlan } = body;
  checkBytes("body.serializedExprPlan", serializedExprPlan);
  const rows = Number(numRows);
  const keys = primaryKeys?.idField.value?.data.length ?? 0;
  if (serializedExprPlan.length > 0) {
    if (rows !== 0 || keys !== 0) return `${rows} rows and ${keys} primary keys beside an expression`;
    return timestamps.length === 1 ? undefined : `${timestamps.length} timestamps for one expression`;
  }
  if (rows !== timestamps.length) return `${timestamps.length} timestamps for ${rows} rows`;
  return keys === rows ? undefined : `${keys} primary keys for ${rows} rows`;
}

/**
 * One message a row, in the order of the rows, each with its own id, timestamp and hash key.
 *
 * They have of the body what Milvus gives them: not the database's name, the namespace, and what its base holds besides type, time and source.
 *
 * @param msg with rows that fit together, and a hash key for each
 * @throws `invalid-argument` for what is no insert
 */
export function insertRows(msg: TsMsgOf<"insert">, newId: () => bigint): TsMsgOf<"insert">[] {
  checkTsMsg("msg", msg);
  checkBody("msg.body", InsertRequestSchema, msg.body, insertLists);
  if (typeof newId !== "function") throw invalid("newId", "a function", newId);
  const { body, sourceId, properties } = msg;
  const places = body.fieldsData.map((field) => ({ field, placeOf: placesIn(field) }));
  return body.rowIDs.map((rowId, row) => {
    const id = newId();
    const timestamp = timeTickFrom(body.timestamps[row] ?? 0n);
    const { shardName, collectionName, partitionName, dbID, collectionID, partitionID, segmentID, version } = body;
    const rowBody = create(InsertRequestSchema, {
      base: create(MsgBaseSchema, { msgType: baseType("insert"), msgID: id, timestamp, sourceID: sourceId }),
      shardName,
      collectionName,
      partitionName,
      dbID,
      collectionID,
      partitionID,
      segmentID,
      version,
      timestamps: [timestamp],
      rowIDs: [rowId],
      rowData: version === InsertDataVersion.RowBased ? body.rowData.slice(row, row + 1) : [],
      fieldsData: places.map(({ field, placeOf }) => fieldRow(field, placeOf(row), row)),
      numRows: version === InsertDataVersion.RowBased ? 0n : 1n,
    });
    const hashKeys = msg.hashKeys.slice(row, row + 1);
    return assemble({ type: "insert", id, beginTs: timestamp, endTs: timestamp, hashKeys, sourceId, properties, body: rowBody });
  });
}

/** A body of that type, with all of its lists; what is in them is protobuf's. */
function checkBody(argument: string, schema: DescMessage, body: unknown, lists: readonly string[]): void {
  if (!isMessage(body, schema)) throw invalid(argument, `a ${schema.typeName}`, body);
  for (const list of lists) {
    const values: unknown = Reflect.get(body, list);
    if (!Array.isArray(values)) throw invalid(`${argument}.${list}`, "an array", values);
  }
}
