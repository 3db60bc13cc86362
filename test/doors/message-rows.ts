/**
 * What each function of `tidemark/message` answers, for the test that calls it with anything.
 */
import {
  clientTypes,
  decodeMessage,
  type DeliverFilter,
  draftMessage,
  int64MessageId,
  InsertDataVersion,
  marshal,
  messageIdFromBytes,
  messageIdFromString,
  type MessageStamp,
  MilvusViewer,
  memUnmarshal,
  type MsgPosition,
  positionToBytes,
  protoUnmarshal,
  stampMessage,
  timeTick,
  tsMsg,
  type WireMessage,
} from "../../src/message/index.js";
import type { Kind, Row } from "./any-argument.js";

const tick = timeTick(1);
const id = int64MessageId("rocksmq", 9n);
const pulsarId = messageIdFromString("pulsar", "CAEQAhgEIAMwAA==");
const woodpeckerId = messageIdFromBytes("woodpecker", new Uint8Array([8, 1, 16, 2]));
const payload = new Uint8Array(1);
const txn = { txnId: 1n, keepaliveMs: 1 };
const stamp: MessageStamp = { timeTick: tick, lastConfirmedMessageId: id, term: 1n, barrierTimeTick: tick, txn, reserved: { _np: "1" } };
const fields = { vchannel: "v", header: {}, body: {}, properties: { a: "b" } };
const draft = draftMessage("insert", fields);
const wire = stampMessage(draft, stamp);
const user = stampMessage({ type: "user", vchannel: "v", header: undefined, body: payload, properties: {} }, stamp);
const read = (type: "beginTxn" | "insert" | "commitTxn") => decodeMessage(stampMessage(draftMessage(type, { vchannel: "v" }), stamp), id);
const [begin, body, commit] = [read("beginTxn"), read("insert"), read("commitTxn")];
/** The same fields in an object of somebody's own. */
const made = {
  kind: "message",
  type: "user",
  typeNumber: 10_001,
  version: 2,
  vchannel: "v",
  header: undefined,
  body: payload,
  payload,
  properties: {},
  id,
  timeTick: tick,
  lastConfirmedMessageId: id,
  barrierTimeTick: tick,
  term: 1n,
  txn,
};
const wholeTxn = { kind: "txn", type: "txn", vchannel: "v", txnId: 1n, begin, messages: [body], commit, id, timeTick: tick };
const rows = { rowIDs: [1n], timestamps: [tick], numRows: 1n, version: InsertDataVersion.ColumnBased };
const insert = tsMsg({ type: "insert", timestamp: tick, hashKeys: [1], properties: { a: "b" }, body: rows });
const deletion = tsMsg({ type: "delete", timestamp: tick });
const record: WireMessage = marshal(insert);
const place = { channelName: "c", msgId: id, msgGroup: "g" };
const position: MsgPosition = { ...place, timestamp: tick, readMsgId: id };
const filters: readonly DeliverFilter[] = [
  { kind: "timeTickGT", timeTick: tick },
  { kind: "messageType", types: ["insert"] },
];
const filter: DeliverFilter = { kind: "messageType", types: ["insert"] };
const dispatcher = protoUnmarshal.newUnmarshalDispatcher();

const optional: readonly Kind[] = ["undefined"];
const anything: readonly Kind[] = ["undefined", "null", "string", "number", "object", "array"];

/** Objects of the door that have methods, by what their rows are called. */
export const messageInstances: Readonly<Record<string, object>> = {
  id,
  pulsarId,
  woodpeckerId,
  protoDispatcher: dispatcher,
  memDispatcher: memUnmarshal.newUnmarshalDispatcher(),
  viewer: new MilvusViewer(),
};

/** By the name of the export, "export.function" where it is a table of them, or "instance.method". */
export const messageRows: Readonly<Record<string, Row>> = {
  isTidemarkError: { good: [new Error("no"), "closed"], takes: [anything, anything] },
  TidemarkError: { good: ["closed", "text", {}, {}], takes: [[], [], anything, ["undefined", "object", "array"]] },
  jsonReplacer: { good: ["key", "value"], takes: [anything, anything] },

  timeTick: { good: [1, 0], takes: [[], optional] },
  timeTickFrom: { good: [1n] },
  physicalMs: { good: [tick] },
  logicalOf: { good: [tick] },
  addMs: { good: [tick, 1] },
  maxTick: { good: [tick, tick] },

  messageIdFromString: { good: ["rocksmq", "9"] },
  messageIdFromBytes: { good: ["rocksmq", new Uint8Array(8)] },
  int64MessageId: { good: ["rocksmq", 9n] },
  int64Of: { good: [id] },
  ...idRows("id", id),
  ...idRows("pulsarId", pulsarId),
  ...idRows("woodpeckerId", woodpeckerId),

  msgTypeName: { good: [400], takes: [anything] },
  bodySchema: { good: ["insert"] },
  tsMsg: { good: [{ type: "insert", timestamp: tick, id: 1n, hashKeys: [1], sourceId: 1n, body: rows, properties: { a: "b" } }] },
  withPosition: { good: [insert, position] },
  insertFault: { good: [insert.body] },
  deleteFault: { good: [deletion.body] },
  insertRows: { good: [insert, () => 1n] },
  positionToBytes: { good: [position] },
  positionFromBytes: { good: [positionToBytes(position), "rocksmq"], takes: [[], optional] },
  marshal: { good: [insert] },
  "protoUnmarshal.newUnmarshalDispatcher": { good: [] },
  "memUnmarshal.newUnmarshalDispatcher": { good: [] },
  "protoDispatcher.unmarshal": { good: [record.payload, "insert"] },
  "memDispatcher.unmarshal": { good: [insert, "insert"] },
  "protoDispatcher.addMsgTemplate": { good: ["insert", () => insert] },
  "memDispatcher.addMsgTemplate": { good: ["insert", () => insert] },
  isStreamingRecord: { good: [wire] },
  unmarshalRecord: { good: [record, dispatcher, place], takes: [[], [], optional] },

  hashInt64: { good: [1n] },
  hashString: { good: ["key"] },
  hashToBuckets: { good: [[1n, "key"], 4] },

  channelParts: { good: ["p_1v0"] },
  controlChannelOf: { good: ["p"] },
  isControlChannel: { good: ["p_vcchan"] },
  pchannelName: { good: ["p"] },
  vchannelName: { good: ["v"] },
  vchannelOfShard: { good: [{ pchannel: "p", collectionId: 1n, shard: 0n }] },

  isSystemType: { good: ["timeTick"], takes: [anything] },
  messageTypeOf: { good: [2], takes: [anything] },
  draftMessage: { good: ["insert", fields] },
  ...Object.fromEntries(clientTypes.map((type) => [`message.${type}`, { good: [fields] }])),
  "message.user": { good: [{ vchannel: "v", payload, properties: { a: "b" } }] },
  decodeMessage: { good: [wire, id] },
  encodeDraft: { good: [draft] },
  encodeMessage: { good: [made] },
  stampMessage: { good: [draft, stamp] },
  wireSize: { good: [user] },
  assembleTxn: { good: [begin, [body, { ...made }], commit] },

  checkFilter: { good: [filter, "filter"], takes: [[], optional] },
  "deliverFilter.timeTickGT": { good: [tick] },
  "deliverFilter.timeTickGTE": { good: [tick] },
  "deliverFilter.messageType": { good: ["insert", "delete"] },
  "deliverPolicy.all": { good: [] },
  "deliverPolicy.latest": { good: [] },
  "deliverPolicy.startFrom": { good: [id] },
  "deliverPolicy.startAfter": { good: [id] },
  "deliverPolicy.startFromTime": { good: [1] },
  filterMessage: { good: [filters, wholeTxn] },
  passesFilters: { good: [filters, made] },

  deliverPolicyToBytes: { good: [{ kind: "startFrom", id }] },
  deliverPolicyFromBytes: { good: [new Uint8Array([10, 0])] },
  deliverFilterToBytes: { good: [filter] },
  deliverFilterFromBytes: { good: [new Uint8Array([0x1a, 0])] },
  pchannelInfoToBytes: { good: [{ name: "p", term: 1n, accessMode: "rw" }] },
  pchannelInfoFromBytes: { good: [new Uint8Array([0x0a, 1, 0x70, 0x10, 1])] },
  streamEnvelope: { good: [wire] },
  openStreamEnvelope: { good: [payload] },
  legacyRow: { good: [record] },

  columnsOf: { good: [{ fieldsData: [] }] },
  MilvusViewer: { good: [] },
  "viewer.view": { good: [record, id] },
};

function idRows(name: string, other: unknown): Record<string, Row> {
  return {
    [`${name}.compare`]: { good: [other] },
    [`${name}.equals`]: { good: [other] },
    [`${name}.toString`]: { good: [] },
    [`${name}.toBytes`]: { good: [] },
    [`${name}.toJSON`]: { good: [] },
  };
}
