/**
 * Types of the message stream: names in the domain, numbers on the wire.
 *
 * Two tables of numbers exist. The seed's is history: Milvus has since put GetIndexBuildProgress at 503 and moved two others up by one. What is written
 * here has the modern ones.
 */
import { invalid } from "../base/arguments.js";
import { MsgType as ProtoMsgType } from "./gen/milvus/common_pb.js";

/** The seed's table, without its prefix: `MsgType.Insert === 400`. For readers of the seed; on the wire stand `msgTypeNumber`'s. */
export const MsgType = Object.freeze({
  None: 0,
  CreateCollection: 100,
  DropCollection: 101,
  HasCollection: 102,
  DescribeCollection: 103,
  ShowCollections: 104,
  GetSysConfigs: 105,
  LoadCollection: 106,
  ReleaseCollection: 107,
  CreatePartition: 200,
  DropPartition: 201,
  HasPartition: 202,
  DescribePartition: 203,
  ShowPartitions: 204,
  LoadPartition: 205,
  ReleasePartition: 206,
  ShowSegment: 250,
  DescribeSegment: 251,
  CreateIndex: 300,
  DescribeIndex: 301,
  DropIndex: 302,
  Insert: 400,
  Delete: 401,
  Flush: 402,
  Search: 500,
  SearchResult: 501,
  GetIndexState: 502,
  GetCollectionStatistics: 503,
  GetPartitionStatistics: 504,
  SegmentInfo: 600,
  TimeTick: 1200,
  QueryNodeStats: 1201,
  LoadIndex: 1202,
  RequestID: 1203,
  RequestTSO: 1204,
  AllocateSegment: 1205,
  SegmentStatistics: 1206,
  SegmentFlushDone: 1207,
} as const);

/** Milvus's names of types, as they stand in the property `msg_type`. */
type ProtoName = keyof typeof ProtoMsgType;

/** Milvus's name with a small first letter: "insert", "timeTick", "listCredUsernames"; and "user", for anybody's bytes. */
export type MsgTypeName = Uncapitalize<ProtoName> | "user";

/** "user" is ours; no Milvus knows the number. */
const userNumber = 10_001;

const numbers = new Map<string, number>([
  ...Object.entries(ProtoMsgType).map(([name, number]) => [small(name), number] as const),
  ["user", userNumber],
]);
const names = new Map([...numbers].map(([name, number]) => [number, name]));
const wireNames = new Map([...Object.keys(ProtoMsgType), "User"].map((name) => [small(name), name]));

/** Milvus's modern numbers, by name. */
export const msgTypeNumber: Readonly<Record<MsgTypeName, number>> = Object.freeze(
  Object.fromEntries(numbers) as Record<MsgTypeName, number>,
);

/** The name of a number, or undefined for one that this version does not know. */
export function msgTypeName(number: number): MsgTypeName | undefined {
  const name = names.get(number);
  return name !== undefined && isMsgTypeName(name) ? name : undefined;
}

/** The number as the enum of a message's base. */
export function baseType(type: MsgTypeName): ProtoMsgType {
  return msgTypeNumber[type] as ProtoMsgType;
}

/** The name as Milvus writes it: "Insert". */
export function wireName(type: MsgTypeName): string {
  return wireNames.get(type) ?? type;
}

/** The type that a `msg_type` property means, or undefined where it is none. */
export function fromWireName(text: string): MsgTypeName | undefined {
  const name = small(text);
  return wireNames.get(name) === text && isMsgTypeName(name) ? name : undefined;
}

/** Whether a text is the name of a type. */
export function isMsgTypeName(text: unknown): text is MsgTypeName {
  return typeof text === "string" && numbers.has(text);
}

/** @throws `invalid-argument` unless it is the name of a type */
export function checkMsgType(argument: string, type: unknown): asserts type is MsgTypeName {
  if (!isMsgTypeName(type)) throw invalid(argument, "the name of a message type, such as insert or timeTick", type);
}

function small(name: string): string {
  return name.slice(0, 1).toLowerCase() + name.slice(1);
}
