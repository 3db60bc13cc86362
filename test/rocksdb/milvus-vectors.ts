/**
 * Directories that a real Milvus wrote, unpacked for a test, and what they contain.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { root } from "../layers/imports.js";

const hashDigits = 32;
const vectors = join(root, "test", "vectors", "milvus-rocksmq");

/** A message as the content files have it. */
export interface Expected {
  readonly id: bigint;
  /** The beginning of its payload's SHA-256: of some payloads the files say no more. */
  readonly hash: string;
}

/** One archive. */
export interface MilvusVector {
  readonly archive: string;
  /** In it; the metadata is beside it. */
  readonly directory: string;
  /** All topics that the metadata knows. */
  readonly topics: number;
  /** Messages of the topics that have some. */
  readonly content: () => ReadonlyMap<string, readonly Expected[]>;
}

/** All there are. */
export const milvusVectors: readonly MilvusVector[] = [
  { archive: "rocksmq-clean", directory: "rocksmq", topics: 17, content: () => liveContent("rocksmq-clean") },
  { archive: "rocksmq-kill9", directory: "rocksmq", topics: 17, content: () => liveContent("rocksmq-kill9") },
  { archive: "rocksmq-rocksdb7.8.3-a", directory: "rdb_data_a", topics: 6, content: () => goContent("rocksmq-content-rocksdb7.8.3") },
  { archive: "rocksmq-rocksdb6.17.3-c", directory: "rdb_data_c", topics: 6, content: () => goContent("rocksmq-content-rocksdb6.17.3") },
];

/** Unpacks an archive into a new folder; returns it, and the data directory in it. */
export function unpack({ archive, directory }: MilvusVector): { readonly home: string; readonly from: string } {
  const home = mkdtempSync(join(tmpdir(), "tidemark-milvus-"));
  execFileSync("tar", ["-xzf", join(vectors, `${archive}.tar.gz`), "-C", home]);
  return { home, from: join(home, directory) };
}

/** SHA-256 of every file below a folder, by its path. */
export function checksums(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(names.sort().map((name) => [name, sha256(readFileSync(join(folder, name)))]));
}

/** As `Expected` has it. */
export function payloadHash(payload: Uint8Array): string {
  return sha256(payload).slice(0, hashDigits);
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function read(name: string): unknown {
  return JSON.parse(gunzipSync(readFileSync(join(vectors, `${name}.json.gz`))).toString());
}

function liveContent(name: string): ReadonlyMap<string, readonly Expected[]> {
  type Row =
    | { readonly id: string; readonly hex: string }
    | { readonly id: string; readonly sha256: string }
    | readonly [id: string, bytes: number, hash: string];
  const { topics } = read(name) as { readonly topics: Readonly<Record<string, readonly Row[]>> };
  const expected = (row: Row): Expected => {
    if ("hex" in row) return { id: BigInt(row.id), hash: payloadHash(Buffer.from(row.hex, "hex")) };
    return "sha256" in row ? { id: BigInt(row.id), hash: row.sha256.slice(0, hashDigits) } : { id: BigInt(row[0]), hash: row[2] };
  };
  return new Map(Object.entries(topics).map(([topic, rows]) => [topic, rows.map(expected)]));
}

function goContent(name: string): ReadonlyMap<string, readonly Expected[]> {
  interface Topic {
    readonly topic: string;
    readonly messages: readonly { readonly id: string; readonly row: string }[];
  }
  const { cases } = read(name) as { readonly cases: readonly { readonly name: string; readonly meaning: Topic }[] };
  const topics = cases.filter((one) => one.name.startsWith("topic/")).map(({ meaning }) => meaning);
  const full = topics.filter(({ messages }) => messages.length > 0);
  const expected = ({ id, row }: Topic["messages"][number]): Expected => ({ id: BigInt(id), hash: payloadHash(Buffer.from(row, "hex")) });
  return new Map(full.map(({ topic, messages }) => [topic, messages.map(expected)]));
}
