/**
 * Deliver policies and filters as Milvus sends them to whoever reads a log for it.
 */
import { create } from "@bufbuild/protobuf";
import { EmptySchema } from "@bufbuild/protobuf/wkt";
import { checkBytes, invalid } from "../base/arguments.js";
import { checkFilter, checkPolicy, type DeliverFilter, type DeliverPolicy } from "./deliver.js";
import type { MessageType as WireType } from "./gen/milvus/messages_pb.js";
import {
  type DeliverFilter as WireFilter,
  DeliverFilterMessageTypeSchema,
  DeliverFilterSchema,
  DeliverFilterTimeTickGTESchema,
  DeliverFilterTimeTickGTSchema,
  type DeliverPolicy as WirePolicy,
  DeliverPolicySchema,
} from "./gen/milvus/streaming_pb.js";
import { messageTypeNumber, type MessageType, messageTypeOf } from "./message-type.js";
import { corruptField, decodeProto, encodeProto } from "./proto-codec.js";
import { originOf, readFrom } from "./read-from.js";
import { timeTickFrom } from "../base/time-tick.js";
import { idFromProto, idToProto } from "./wal-name.js";

/**
 * Milvus's protobuf of a policy.
 *
 * @throws `invalid-argument`, also for `startFromTime`, which Milvus does not have
 */
export function deliverPolicyToBytes(policy: DeliverPolicy): Uint8Array {
  checkPolicy(policy);
  return encodeProto(DeliverPolicySchema, { ...originOf(DeliverPolicySchema, policy), policy: policyProto(policy) }, "policy");
}

/**
 * The policy in Milvus's protobuf.
 *
 * @throws `corrupt` with the field, also for a policy of no kind
 */
export function deliverPolicyFromBytes(bytes: Uint8Array): DeliverPolicy {
  checkBytes("bytes", bytes);
  const origin = decodeProto(DeliverPolicySchema, bytes, "policy");
  return readFrom(policyIn(origin), origin);
}

function policyIn({ policy }: WirePolicy): DeliverPolicy {
  switch (policy.case) {
    case "all":
    case "latest":
      return { kind: policy.case };
    case "startFrom":
      return { kind: policy.case, id: idFromProto("policy.start_from", policy.value) };
    case "startAfter":
      return { kind: policy.case, id: idFromProto("policy.start_after", policy.value) };
    case undefined:
      throw corruptField("policy", 0, "it is of no kind");
  }
}

/**
 * Milvus's protobuf of a filter. "unknown" is written as the number that it was read as, else as 0.
 *
 * @throws `invalid-argument`
 */
export function deliverFilterToBytes(filter: DeliverFilter): Uint8Array {
  checkFilter(filter);
  const origin = originOf(DeliverFilterSchema, filter);
  return encodeProto(DeliverFilterSchema, { ...origin, filter: filterProto(filter, origin.filter) }, "filter");
}

/**
 * The filter in Milvus's protobuf. A number that this version does not know is "unknown".
 *
 * @throws `corrupt` with the field, also for a filter of no kind, and one of the system's types, at which Milvus panics
 */
export function deliverFilterFromBytes(bytes: Uint8Array): DeliverFilter {
  checkBytes("bytes", bytes);
  const origin = decodeProto(DeliverFilterSchema, bytes, "filter");
  return readFrom(filterIn(origin), origin);
}

function filterIn({ filter }: WireFilter): DeliverFilter {
  switch (filter.case) {
    case "timeTickGt":
      return { kind: "timeTickGT", timeTick: timeTickFrom(filter.value.timeTick) };
    case "timeTickGte":
      return { kind: "timeTickGTE", timeTick: timeTickFrom(filter.value.timeTick) };
    case "messageType":
      return typesFilter(filter.value.messageTypes.map((number) => messageTypeOf(number)));
    case undefined:
      throw corruptField("filter", 0, "it is of no kind");
  }
}

function policyProto(policy: DeliverPolicy): WirePolicy["policy"] {
  switch (policy.kind) {
    case "all":
    case "latest":
      return { case: policy.kind, value: create(EmptySchema) };
    case "startFrom":
    case "startAfter":
      return { case: policy.kind, value: idToProto(policy.id) };
    case "startFromTime":
      throw invalid("policy.kind", "all, latest, startFrom or startAfter: Milvus has no other", policy.kind);
  }
}

/** @param read what the filter was read from, if it was */
function filterProto(filter: DeliverFilter, read: WireFilter["filter"]): WireFilter["filter"] {
  switch (filter.kind) {
    case "timeTickGT": {
      const value = read.case === "timeTickGt" ? read.value : create(DeliverFilterTimeTickGTSchema);
      return { case: "timeTickGt", value: { ...value, timeTick: filter.timeTick } };
    }
    case "timeTickGTE": {
      const value = read.case === "timeTickGte" ? read.value : create(DeliverFilterTimeTickGTESchema);
      return { case: "timeTickGte", value: { ...value, timeTick: filter.timeTick } };
    }
    case "messageType": {
      const value = read.case === "messageType" ? read.value : create(DeliverFilterMessageTypeSchema);
      const messageTypes = filter.types.map((type, at) => numberOf(type, value.messageTypes[at]));
      return { case: "messageType", value: { ...value, messageTypes } };
    }
  }
}

/** The one place where a number is said to be one of Milvus's enum; "user" is ours, and open enums hold it. */
function numberOf(type: MessageType, read: WireType = 0): WireType {
  return type === "unknown" ? read : (messageTypeNumber[type] as WireType);
}

function typesFilter(types: readonly MessageType[]): DeliverFilter {
  const filter: DeliverFilter = { kind: "messageType", types };
  try {
    checkFilter(filter);
  } catch (error) {
    throw corruptField("filter.message_type.message_types", 0, "a type of the system, which no filter can name", error);
  }
  return filter;
}
