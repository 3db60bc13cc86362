/**
 * Reads the vectors: what Milvus's own code wrote, and what it says that means.
 */
import type { JsonValue } from "@bufbuild/protobuf";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { root } from "../layers/imports.js";

/** One case of a file of `milvus-go/`. */
export interface VectorCase<Meaning> {
  readonly name: string;
  readonly meaning: Meaning;
}

/** The cases of a file of `milvus-go/`. */
export function vectorCases<Case extends VectorCase<unknown>>(file: string): readonly Case[] {
  const { cases } = vectorFile<{ readonly cases: readonly Case[] }>(`milvus-go/${file}`);
  return cases;
}

/** The whole of a file, by its path below `test/vectors/` and without its ending. */
export function vectorFile<File>(path: string): File {
  return JSON.parse(gunzipSync(readFileSync(`${root}test/vectors/${path}.json.gz`)).toString("utf8")) as File;
}

/** The bytes of a hex text. */
export function unhex(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, "hex"));
}

/** The hex text of bytes. */
export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** JSON of a protobuf message as the vectors have it, with the three field names that begin with a capital as ours have them. */
export function protoJson(json: JsonValue): JsonValue {
  const text = JSON.stringify(json).replace(
    /"(SegmentID|NumRows|Resource_keys)":/g,
    (name) => name.slice(0, 1) + name.slice(1, 2).toLowerCase() + name.slice(2),
  );
  return JSON.parse(text) as JsonValue;
}
