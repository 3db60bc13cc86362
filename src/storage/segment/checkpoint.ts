/**
 * The checkpoint: the state of the log exactly at a position P, a border between groups, so that a replay begins there.
 *
 *     file:  "TIDEMARK CHECKPOINT " · u32 format version · u32 crc of the rest, seeded with the version · rest
 *
 * It is also what says which sealed segments are live, and where they end: a segment it does not list may go.
 */
import { crc32 } from "../../base/crc32.js";
import { ByteReader } from "../../base/byte-reader.js";
import { ByteWriter } from "../../base/byte-writer.js";
import { TidemarkError } from "../../base/errors.js";
import type { StoreKind } from "../store-kind.js";
import { corrupt } from "./corrupt.js";
import { LogState } from "./log-state.js";
import type { Position } from "./position.js";

const magic = Buffer.from("TIDEMARK CHECKPOINT ", "latin1");
const prefixBytes = magic.length + 8;
/** Behind the store's id, the position and the next segment. */
const flagsOffset = prefixBytes + 20;
const cleanFlag = 1;
const metaFlag = 2;

/** The version that this code writes, and the only one that it reads. */
export const formatVersion = 1;

/** What a checkpoint says besides the state. */
export interface CheckpointHead {
  readonly storeId: bigint;
  /** The state is the one at this place; `origin` when there is no segment yet. All before it was durable when this was written. */
  readonly position: Position;
  /** No segment file had this number or a higher one. */
  readonly nextSegment: number;
  /** Written by a clean close. */
  readonly clean: boolean;
}

/** A checkpoint, decoded. */
export interface Checkpoint extends CheckpointHead {
  readonly state: LogState;
  readonly bytes: number;
}

/** The bytes of the file. Takes the state as it is at this moment. */
export function encodeCheckpoint(head: CheckpointHead, state: LogState): Uint8Array {
  const writer = new ByteWriter();
  writer
    .u64(head.storeId)
    .u32(head.position.segment)
    .u32(head.position.offset)
    .u32(head.nextSegment)
    .u8((head.clean ? cleanFlag : 0) | (state.keeps === "meta" ? metaFlag : 0));
  writer.u64(state.term).u64(state.floor).u32(state.nextChannel).f64(state.lastTimeMs);
  encodeSegments(writer, state);
  encodeChannels(writer, state, head.position);
  encodeMeta(writer, state);
  const rest = writer.toBytes();
  return Buffer.concat([magic, new ByteWriter().u32(formatVersion).u32(crc32(rest, formatVersion)).toBytes(), rest]);
}

/**
 * The checkpoint in these bytes.
 *
 * @throws `unsupported-format` with both versions; `corrupt`.
 */
export function decodeCheckpoint(file: string, bytes: Buffer): Checkpoint {
  if (bytes.length < prefixBytes || !isCheckpoint(bytes)) throw corrupt(file, 0, "this is no checkpoint");
  const version = versionIn(bytes);
  // So a damaged version is told from another one.
  if (!isIntact(bytes)) throw corrupt(file, magic.length, "the checkpoint's checksum is wrong");
  if (version !== formatVersion) {
    const message = `${file} is of format ${version}; this version of Tidemark reads format ${formatVersion}`;
    throw new TidemarkError("unsupported-format", message, { found: version, supported: formatVersion });
  }
  const unknown = (bytes[flagsOffset] ?? 0) & ~(cleanFlag | metaFlag);
  if (unknown !== 0) {
    const message = `${file} was written by a newer version of Tidemark: it has flags (${unknown}) that this one does not know`;
    throw new TidemarkError("unsupported-format", message, { found: version, supported: formatVersion });
  }
  return decodeRest(new ByteReader(bytes.subarray(prefixBytes)), bytes.length);
}

/**
 * What the store keeps, by the bytes of its checkpoint or only their first 64; undefined where these are none, and for a `whole` one that is damaged or of
 * another format.
 */
export function keptByCheckpoint(bytes: Buffer, part: "start" | "whole"): StoreKind | undefined {
  if (bytes.length <= flagsOffset || !isCheckpoint(bytes) || versionIn(bytes) !== formatVersion) return undefined;
  if (part === "whole" && !isIntact(bytes)) return undefined;
  return keptBy(bytes.readUInt8(flagsOffset));
}

function isCheckpoint(bytes: Buffer): boolean {
  return bytes.subarray(0, magic.length).equals(magic);
}

function versionIn(bytes: Buffer): number {
  return bytes.readUInt32LE(magic.length);
}

function isIntact(bytes: Buffer): boolean {
  return bytes.readUInt32LE(magic.length + 4) === crc32(bytes.subarray(prefixBytes), versionIn(bytes));
}

function keptBy(flags: number): StoreKind {
  return (flags & metaFlag) === 0 ? "queue" : "meta";
}

function decodeRest(reader: ByteReader, bytes: number): Checkpoint {
  const storeId = reader.u64();
  const position = { segment: reader.u32(), offset: reader.u32() };
  const nextSegment = reader.u32();
  const flags = reader.u8();
  const head = { storeId, position, nextSegment, clean: (flags & cleanFlag) !== 0 };
  const state = new LogState();
  state.keeps = keptBy(flags);
  state.term = reader.u64();
  state.floor = reader.u64();
  const nextChannel = reader.u32();
  state.lastTimeMs = reader.f64();
  for (let left = reader.u32(); left > 0; left--) state.segments.add(reader.u32(), reader.u32());
  for (let left = reader.u32(); left > 0; left--) decodeChannel(reader, state);
  state.nextChannel = nextChannel;
  decodeMeta(reader, state);
  return { ...head, state, bytes };
}

function encodeSegments(writer: ByteWriter, state: LogState): void {
  const sealed = state.segments.sealed();
  writer.u32(sealed.length);
  for (const { number, end } of sealed) writer.u32(number).u32(end);
}

/** Runs in the segment of P are left out: the replay goes through that segment from its start and finds them. */
function encodeChannels(writer: ByteWriter, state: LogState, position: Position): void {
  const channels = [...state.channels()];
  writer.u32(channels.length);
  for (const channel of channels) {
    writer.u32(channel.number).text(channel.name).u64(channel.firstId);
    writer.u64(channel.beginId).u64(channel.endId).u64(channel.lastId).u64(channel.ceiling);
    const runs = channel.runs.filter((run) => run.segment < position.segment);
    writer.u32(runs.length);
    for (const run of runs)
      writer.u32(run.segment).u64(run.firstId).u64(run.lastId).u32(run.count).u32(run.bytes).f64(run.firstTimeMs).f64(run.lastTimeMs);
  }
}

function decodeChannel(reader: ByteReader, state: LogState): void {
  const names = { number: reader.u32(), name: reader.text(), firstId: reader.u64() };
  const ids = { beginId: reader.u64(), endId: reader.u64(), lastId: reader.u64(), ceiling: reader.u64() };
  const channel = state.restoreChannel({ ...names, ...ids });
  for (let left = reader.u32(); left > 0; left--) {
    const segment = reader.u32();
    const [firstId, lastId] = [reader.u64(), reader.u64()];
    const sizes = { count: reader.u32(), bytes: reader.u32() };
    const times = { firstTimeMs: reader.f64(), lastTimeMs: reader.f64() };
    state.openRun(channel, { segment, firstId, lastId, ...sizes, ...times });
  }
}

function encodeMeta(writer: ByteWriter, state: LogState): void {
  const entries = state.meta.all();
  writer.u64(state.meta.revision).u32(entries.length);
  for (const entry of entries) writer.text(entry.key).bytes(entry.value).u64(entry.createRevision).u64(entry.modRevision);
}

function decodeMeta(reader: ByteReader, state: LogState): void {
  state.meta.advance(reader.u64());
  for (let left = reader.u32(); left > 0; left--) {
    state.meta.restore({
      key: reader.text(),
      value: new Uint8Array(reader.bytes()),
      createRevision: reader.u64(),
      modRevision: reader.u64(),
    });
  }
}
