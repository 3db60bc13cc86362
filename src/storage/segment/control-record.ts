/**
 * Control records: everything that happens in a log but messages. A control frame's body is a row of them.
 *
 * In a group they stand before its batches, and are replayed first: a batch of a channel that one of them destroyed is dead on arrival,
 * one of a channel that one of them made finds it there.
 */
import { ByteReader } from "../../base/byte-reader.js";
import { ByteWriter } from "../../base/byte-writer.js";
import type { MetaRecord } from "../meta-map.js";

/** One thing that happened. `channel` is a channel's number. */
export type ControlRecord =
  | {
      readonly type: "create";
      readonly channel: number;
      readonly name: string;
      /** Where its ids begin; the last id given out is the one before. */
      readonly firstId: bigint;
      /** No id above it is written before a higher one is synced. */
      readonly ceiling: bigint;
    }
  | {
      readonly type: "destroy";
      readonly channel: number;
      /** Channels made later begin above it. */
      readonly floor: bigint;
    }
  | {
      readonly type: "trim";
      readonly channel: number;
      readonly beginId: bigint;
      /** What goes with it. Undefined when that could not be read: the accounts estimate it then. */
      readonly bytes?: number | undefined;
    }
  | { readonly type: "ceiling"; readonly channel: number; readonly ceiling: bigint }
  | MetaRecord;

const types = { create: 1, destroy: 2, trim: 3, ceiling: 4, put: 5, delete: 6 } as const;

/** The body of a control frame. */
export function encodeControlRecords(records: readonly ControlRecord[]): Uint8Array {
  const writer = new ByteWriter();
  for (const record of records) encodeRecord(writer, record);
  return writer.toBytes();
}

/** The records of a checked control frame. */
export function decodeControlRecords(body: Uint8Array, count: number): ControlRecord[] {
  const reader = new ByteReader(body);
  return Array.from({ length: count }, () => decodeRecord(reader));
}

function encodeRecord(writer: ByteWriter, record: ControlRecord): void {
  writer.u8(types[record.type]);
  switch (record.type) {
    case "create":
      return void writer.u32(record.channel).text(record.name).u64(record.firstId).u64(record.ceiling);
    case "destroy":
      return void writer.u32(record.channel).u64(record.floor);
    case "trim":
      return void writer
        .u32(record.channel)
        .u64(record.beginId)
        .varint(record.bytes === undefined ? 0 : record.bytes + 1);
    case "ceiling":
      return void writer.u32(record.channel).u64(record.ceiling);
    case "put":
      return void writer.u64(record.revision).text(record.key).bytes(record.value);
    case "delete":
      return void writer.u64(record.revision).text(record.key);
    default:
      return record satisfies never;
  }
}

function decodeRecord(reader: ByteReader): ControlRecord {
  const type = reader.u8();
  switch (type) {
    case types.create:
      return { type: "create", channel: reader.u32(), name: reader.text(), firstId: reader.u64(), ceiling: reader.u64() };
    case types.destroy:
      return { type: "destroy", channel: reader.u32(), floor: reader.u64() };
    case types.trim:
      return decodeTrim(reader);
    case types.ceiling:
      return { type: "ceiling", channel: reader.u32(), ceiling: reader.u64() };
    case types.put:
      return { type: "put", revision: reader.u64(), key: reader.text(), value: new Uint8Array(reader.bytes()) };
    case types.delete:
      return { type: "delete", revision: reader.u64(), key: reader.text() };
    default:
      throw new RangeError(`control record of the unknown type ${type}`);
  }
}

function decodeTrim(reader: ByteReader): ControlRecord {
  const trim = { type: "trim", channel: reader.u32(), beginId: reader.u64() } as const;
  const bytes = reader.varint();
  return bytes === 0 ? trim : { ...trim, bytes: bytes - 1 };
}
