/**
 * What a caller makes and appends. It has neither id nor tick, and an append never changes it.
 *
 *     draft  ──(stamp: tick, term, last confirmed)──▶  wire message  ──(id of the log)──▶  stored message
 */
import { create, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { checkBytes, checkOptions, invalid, type KnownOptions } from "../base/arguments.js";
import { checkVChannel } from "./channel-name.js";
import {
  type ClientType,
  clientTypes,
  headerSchema,
  isProtoType,
  type MessageShapes,
  type MessageType,
  payloadSchema,
  type ProtoType,
} from "./message-type.js";
import { checkProperties, type Properties } from "./properties.js";
import { checkFields } from "./proto-check.js";
import { findFault } from "./wire-fault.js";

/** A message to append, of one type. */
export interface DraftOf<T extends MessageType> {
  readonly type: T;
  readonly vchannel: string;
  readonly header: MessageShapes[T]["header"];
  /** Bytes are a body that is encoded already. */
  readonly body: MessageShapes[T]["body"] | Uint8Array;
  readonly properties: Properties;
}

/** What a caller makes; never changed by an append. */
export type DraftMessage<T extends MessageType = MessageType> = { [K in T]: DraftOf<K> }[T];

/** What a message of a type is made of. */
export interface DraftFields<T extends ProtoType> {
  /** The virtual channel, 1 to 255 bytes. */
  readonly vchannel: string;
  /** Fields of the header. Default: none of them. */
  readonly header?: MessageInitShape<ReturnType<typeof headerSchema<T>>> | undefined;
  /** Fields of the body, or the body's bytes. Default: none of them. */
  readonly body?: MessageInitShape<ReturnType<typeof payloadSchema<T>>> | Uint8Array | undefined;
  /** Keys that begin with "_" are reserved. */
  readonly properties?: Properties | undefined;
}

/** What a message of anybody's bytes is made of. */
export interface UserFields {
  /** The virtual channel, 1 to 255 bytes. */
  readonly vchannel: string;
  readonly payload: Uint8Array;
  /** Keys that begin with "_" are reserved. */
  readonly properties?: Properties | undefined;
}

/** One builder a type that clients may append. */
export type MessageBuilders = { readonly [T in ClientType]: (fields: DraftFields<T>) => DraftOf<T> } & {
  readonly user: (fields: UserFields) => DraftOf<"user">;
};

/**
 * One builder a type that clients may append. Property keys that begin with "_" are reserved.
 *
 * @throws `invalid-argument` naming what is wrong: a field of another type or out of its range, a lone surrogate, a reserved property, a bad name
 *
 * @example
 * ```ts
 * message.user({ vchannel: "orders", payload: Buffer.from("one espresso"), properties: { table: "7" } });
 * message.insert({ vchannel: "by-dev-dml_0_1v0", header: { collectionId: 1n }, body: { rowIDs: [1n], timestamps: [0n], numRows: 1n } });
 * ```
 */
export const message: MessageBuilders = Object.freeze({ ...protoBuilders(), user: userDraft });

/** A draft of any type but "user" and "unknown", those of the log itself included. */
export function draftMessage<T extends ProtoType>(type: T, fields: DraftFields<T>): DraftMessage<T> {
  if (!isProtoType(type)) throw invalid("type", "a message type with header and body", type);
  checkOptions(fields, protoKeys, "fields");
  const { vchannel, header, body, properties = {} } = fields;
  checkVChannel("vchannel", vchannel);
  checkProperties(properties);
  return draft(type, vchannel, part(headerSchema(type), header, "header"), bodyOf(payloadSchema(type), body), properties);
}

const protoKeys: KnownOptions<keyof DraftFields<ProtoType>> = { vchannel: true, header: true, body: true, properties: true };
const userKeys: KnownOptions<keyof UserFields> = { vchannel: true, payload: true, properties: true };

function protoBuilders(): Omit<MessageBuilders, "user"> {
  const builders = clientTypes.map((type) => [type, (fields: DraftFields<ClientType>) => draftMessage(type, fields)] as const);
  return Object.fromEntries(builders) as Omit<MessageBuilders, "user">;
}

function userDraft(fields: UserFields): DraftOf<"user"> {
  checkOptions(fields, userKeys, "fields");
  const { vchannel, payload, properties = {} } = fields;
  checkVChannel("vchannel", vchannel);
  checkProperties(properties);
  checkBytes("payload", payload);
  return { type: "user", vchannel, header: undefined, body: payload, properties: { ...properties } };
}

function part<D extends DescMessage>(schema: D, init: MessageInitShape<D> | undefined, what: string): object {
  if (init !== undefined) checkFields(schema, init, what);
  return create(schema, init);
}

function bodyOf<D extends DescMessage>(schema: D, body: MessageInitShape<D> | Uint8Array | undefined): object {
  if (!(body instanceof Uint8Array)) return part(schema, body, "body");
  const fault = findFault(schema, body);
  if (fault === undefined) return body;
  throw invalid(
    ["body", ...fault.path].join("."),
    `the bytes of a ${schema.typeName}, but at offset ${fault.offset} is ${fault.what}`,
    body,
  );
}

/** The one place where parts are said to be those of their type; they were made from its schemas. */
function draft<T extends ProtoType>(type: T, vchannel: string, header: object, body: object, properties: Properties): DraftMessage<T> {
  return { type, vchannel, header, body, properties: { ...properties } } as DraftMessage<T>;
}
