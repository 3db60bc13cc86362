import { hashInt64, type TimeTick, type TsMsg, tsMsg } from "../message/index.js";

const rows = 8;
const dimension = 24;

/** Rows with a key and a small vector, as Milvus's clients send them: about a kibibyte. */
export function insertOfOneKiB(timestamp: TimeTick): TsMsg<"insert"> {
  const keys = Array.from({ length: rows }, (_, at) => 449_000_000_000_000_000n + BigInt(at));
  const fieldsData = [
    { fieldId: 100n, fieldName: "pk", type: 5, field: { case: "scalars", value: { data: { case: "longData", value: { data: keys } } } } },
    {
      fieldId: 101n,
      fieldName: "vector",
      type: 101,
      field: {
        case: "vectors",
        value: {
          dim: BigInt(dimension),
          data: { case: "floatVector", value: { data: Array.from({ length: rows * dimension }, (_, at) => at / 8) } },
        },
      },
    },
  ] as const;
  return tsMsg({
    type: "insert",
    timestamp,
    id: 7n,
    hashKeys: keys.map(hashInt64),
    body: {
      shardName: "by-dev-rootcoord-dml_3_4500v0",
      collectionName: "films",
      collectionID: 4500n,
      rowIDs: keys,
      numRows: BigInt(rows),
      version: 1,
      fieldsData: [...fieldsData],
    },
  });
}
