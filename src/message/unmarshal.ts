/**
 * From bytes, or from messages that are in this process already, to messages of the stream.
 */
import { create } from "@bufbuild/protobuf";
import { invalid } from "../base/arguments.js";
import { IDsSchema } from "./gen/milvus/schema_pb.js";
import { bodySchema, type MsgBody } from "./msg-bodies.js";
import { checkMsgType, type MsgTypeName, msgTypeNumber } from "./msg-type.js";
import { corruptField, decodeProto } from "./proto-codec.js";
import { noText, type Properties, propertiesFrom } from "./properties.js";
import { assemble, attachedKeys, checkTsMsg, type TsMsg } from "./ts-msg.js";
import { type TimeTick, timeTickFrom, zeroTick } from "../base/time-tick.js";

/** Makes a message out of its bytes, or hands on what is one already. */
export type UnmarshalFunc = (input: Uint8Array | TsMsg) => TsMsg;

/** Knows for each type how its messages are read. */
export interface UnmarshalDispatcher {
  /**
   * The message in `input`, which is of that type.
   *
   * @throws `invalid-argument` for a type that it has no template of, and for input of the wrong kind; `corrupt` with the field and offset
   */
  unmarshal(input: Uint8Array | TsMsg, type: MsgTypeName): TsMsg;
  /** Reads messages of that type with `f` from now on: the last template of a type wins. */
  addMsgTemplate(type: MsgTypeName, f: UnmarshalFunc): void;
}

/** Makes dispatchers, each with templates of its own. */
export interface UnmarshalDispatcherFactory {
  newUnmarshalDispatcher(): UnmarshalDispatcher;
}

/** Reads bytes: the seed's ProtoUDFactory. Its dispatchers know every type. */
export const protoUnmarshal: UnmarshalDispatcherFactory = Object.freeze({
  newUnmarshalDispatcher: () => new TemplateDispatcher(protoTemplate),
});

/** Hands on messages, after a look at their type: the seed's MemUDFactory. */
export const memUnmarshal: UnmarshalDispatcherFactory = Object.freeze({
  newUnmarshalDispatcher: () => new TemplateDispatcher(memTemplate),
});

class TemplateDispatcher implements UnmarshalDispatcher {
  readonly #templates = new Map<MsgTypeName, UnmarshalFunc>();

  constructor(templateOf: (type: MsgTypeName) => UnmarshalFunc) {
    for (const type of Object.keys(msgTypeNumber) as MsgTypeName[]) this.#templates.set(type, templateOf(type));
  }

  unmarshal(input: Uint8Array | TsMsg, type: MsgTypeName): TsMsg {
    const template = this.#templates.get(type);
    if (template === undefined) throw invalid("type", "a message type with a template", type);
    return template(input);
  }

  addMsgTemplate(type: MsgTypeName, f: UnmarshalFunc): void {
    checkMsgType("type", type);
    if (typeof f !== "function") throw invalid("f", "a function", f);
    this.#templates.set(type, f);
  }
}

function memTemplate(type: MsgTypeName): UnmarshalFunc {
  return (input) => {
    checkTsMsg("input", input);
    if (input.type !== type) throw invalid("input", `a message of type ${type}`, input.type);
    return input;
  };
}

function protoTemplate(type: MsgTypeName): UnmarshalFunc {
  return (input) => {
    if (!(input instanceof Uint8Array)) throw invalid("input", "the bytes of a message", input);
    return fromProto(type, input);
  };
}

function fromProto(type: MsgTypeName, bytes: Uint8Array): TsMsg {
  const body = decodeProto(bodySchema(type), bytes, "body");
  const { base } = body;
  if (base === undefined && needBase.has(type))
    throw corruptField("body.base", 0, `it is missing, which a message of type ${type} can't be without`);
  if (body.$typeName === "milvus.proto.msg.DeleteRequest") fillPrimaryKeys(body);
  const { beginTs, endTs } = timesOf(body);
  const properties = withoutAttached(base?.properties ?? {});
  return assemble({ type, id: base?.msgID ?? 0n, beginTs, endTs, hashKeys: [], sourceId: base?.sourceID ?? 0n, properties, body });
}

/** Milvus itself fails at these without their base; all others it takes. */
const needBase: ReadonlySet<MsgTypeName> = new Set(["timeTick", "createCollection", "dropCollection", "createPartition", "dropPartition"]);

/** Deletes from before there were text keys have theirs in a field of their own. It stays filled, as in Milvus. */
function fillPrimaryKeys(body: MsgBody<"delete">): void {
  if (body.primaryKeys !== undefined || body.int64PrimaryKeys.length === 0) return;
  const data = [...body.int64PrimaryKeys];
  body.numRows = BigInt(data.length);
  body.primaryKeys = create(IDsSchema, { idField: { case: "intId", value: { data } } });
}

/** Rows have timestamps of their own, and no rows have none; DataNodeTt never tells its base's. Milvus does the same. */
function timesOf(body: MsgBody<MsgTypeName>): { readonly beginTs: TimeTick; readonly endTs: TimeTick } {
  switch (body.$typeName) {
    case "milvus.proto.msg.InsertRequest":
    case "milvus.proto.msg.DeleteRequest":
      return spanOf(body.timestamps);
    case "milvus.proto.msg.DataNodeTtMsg":
      return { beginTs: zeroTick, endTs: zeroTick };
    default: {
      const tick = timeTickFrom(body.base?.timestamp ?? 0n);
      return { beginTs: tick, endTs: tick };
    }
  }
}

function spanOf(timestamps: readonly bigint[]): { readonly beginTs: TimeTick; readonly endTs: TimeTick } {
  let [least = 0n] = timestamps;
  let most = least;
  for (const tick of timestamps) {
    if (tick < least) least = tick;
    else if (tick > most) most = tick;
  }
  return { beginTs: timeTickFrom(least), endTs: timeTickFrom(most) };
}

/**
 * A caller's own properties: RocksMQ rows of Milvus have them in the base, among those that were attached.
 *
 * @throws `invalid-argument` for what is no text
 */
export function withoutAttached(properties: Properties): Properties {
  let own: (readonly [string, string])[] | undefined;
  for (const key in properties) {
    const value = properties[key];
    if (typeof value !== "string") throw noText("wire.properties", key, value);
    if (!attachedKeys.has(key)) (own ??= []).push([key, value]);
  }
  return own === undefined ? noProperties : propertiesFrom(own);
}

/** Those of most messages of a stream. */
const noProperties: Properties = Object.freeze({});
