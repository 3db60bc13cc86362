/**
 * Every record of every file of Milvus's vectors is looked at by a test, or this says why not. The first part of a record's name, or its kind, is its group;
 * a file, or a group in one, that stands in no row fails.
 */
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { missingTests } from "../docs/named-tests.js";
import { root } from "../layers/imports.js";
import { vectorCases, type VectorCase } from "./vectors.js";

/** A test that looks at a group: its file and title; or why nobody does. */
type Looked = readonly [file: string, title: string] | { readonly not: string };

const ids = "src/message/message-id.test.ts";
const ticks = "src/base/time-tick.test.ts";
const tables = "test/message/milvus-tables.test.ts";
const legacy = "src/message/marshal.test.ts";
const log = "src/message/decode-message.test.ts";
const rows = "src/message/rocksmq-row.test.ts";
const deliver = "src/message/deliver.test.ts";
const hostile = "src/message/hostile-messages.test.ts";

const all = "*";
const legacyGroups: Readonly<Record<string, Looked>> = {
  message: [legacy, "mean what Milvus says, and are written as it writes them: $name"],
  normalised: [legacy, "are brought up to date as Milvus does: $name"],
  decode: [legacy, "may be empty where Milvus takes that, and are corrupt where it panics: $name"],
  consume: [tables, "as Milvus does: $name"],
  "stream-envelope": [rows, "of the log is its envelope, both ways: $name"],
  "legacy-row": [rows, "of the stream has its properties in its base: $name"],
};
const logGroups = {
  mutable: [log, "mean what Milvus says: $name"],
  replicate: [log, "are written as drafts as Milvus writes them: $name"],
  broadcast: [log, "are split for their vchannels: $name"],
} as const satisfies Readonly<Record<string, Looked>>;
/** The older version replicates nothing yet. */
const log25Groups = { mutable: logGroups.mutable, broadcast: logGroups.broadcast };
const fieldGroups: Readonly<Record<string, Looked>> = {
  message: [tables, "have the fields and numbers that ours have (%s)"],
  enum: [tables, "have the enums that ours have (%s)"],
};
const txns: Readonly<Record<string, Looked>> = { [all]: ["src/message/txn-message.test.ts", "is put together as in Milvus: $name"] };

/** By file, then by group; "*" is every group of a file. */
const looked: Readonly<Record<string, Readonly<Record<string, Looked>>>> = {
  "channel-names": {
    name: ["src/message/channel-name.test.ts", "says what it says in Milvus, read as decimal and strictly: $name"],
    virtual: [tables, "name virtual channels, those that can be read again: $name"],
    "pchannel-info": ["src/message/pchannel-info.test.ts", "is read as there, written the same, and corrupt where it panics: $name"],
    convert: { not: "renames channels between two logs of an old Milvus, which nobody here has" },
    on: { not: "compares names as texts" },
    "sub-name": { not: "names subscriptions of Milvus's data nodes" },
  },
  "deliver-filters": {
    policy: [deliver, "are Milvus's bytes both ways: $name"],
    filter: [deliver, "let pass what Milvus's do: $name"],
    "filter-on-system-type": [deliver, "are corrupt where Milvus panics: $name"],
    "filter-of-no-kind": [deliver, "are corrupt where Milvus panics: $name"],
  },
  encodings: {
    int64: [tables, "are Milvus's base 36"],
    uint64: [tables, "are Milvus's base 36"],
    decode: [tables, "are read as Milvus reads them: $name"],
    proto: [tables, "are its base64 of protobuf, both ways: $name"],
  },
  "hash-keys": {
    int64: ["src/message/hash-keys.test.ts", "of numbers are Milvus's: $name"],
    uint64: [tables, "hash 64 bits without their sign: $name"],
    string: ["src/message/hash-keys.test.ts", "of texts are Milvus's: $name"],
    // Those of another length than 8 are of a function that no key goes through.
    bytes: [tables, "hash 8 bytes as the number in them: $name"],
    pk2channels: ["src/message/hash-keys.test.ts", "choose Milvus's channels: $name"],
    key2partitions: [tables, "choose partitions by the same keys: $name"],
  },
  "legacy-msgs": legacyGroups,
  "legacy-msgs-2.5": {
    message: [legacy, "are the same from a row of RocksMQ, where the properties lie in the base"],
    normalised: [legacy, "are brought up to date as Milvus does: $name"],
  },
  "message-ids": {
    id: [tables, "go along with an id, both ways"],
    order: [ids, "is ordered as in Milvus"],
    decode: [ids, "is read from odd texts as Milvus reads them, but with a sign"],
    "wal-name": [tables, "are those of its names: $name"],
    "decode for an unregistered WAL number": [tables, "of a number that nobody has is corrupt, where Milvus panics: $name"],
    "cross-wal comparison": [tables, "tell ids apart that never compare, where Milvus panics: $name"],
    "WAL number 0 means the process default (rocksmq here)": [tables, "of 0 is none: a default of a process that is not ours ($name)"],
  },
  "message-types": { [all]: [tables, "are Milvus's, with its headers, bodies, versions and system types"] },
  "msg-positions": {
    "legacy-id": [ids, "has Milvus's bytes, and comes back from them"],
    "legacy-order": [ids, "is ordered as Milvus's older code orders its bytes, but that no two of Pulsar are beside each other"],
    "legacy-decode": [ids, "is read from odd bytes as Milvus reads them, with an error where that panics"],
    position: ["src/message/msg-position.test.ts", "has Milvus's bytes: $name"],
  },
  "proto-fields": fieldGroups,
  "proto-fields-2.5": fieldGroups,
  rocksmq: {
    "store key": ["src/storage/milvus/milvus-rows.test.ts", "have topic and id of a message in its key: $name"],
    "meta key": [
      "src/storage/milvus/milvus-rows.test.ts",
      "of the metadata say of each topic which pages are closed, how large they are, and what is behind them",
    ],
    "page id parsing": { not: "a rule in words: the keys of pages are read above" },
    behaviour: { not: "what Milvus's queue answers; what answers it here stands in docs/seed-map.md, with the scenarios that hold it" },
  },
  repack: { [all]: ["src/stream/repack.test.ts", "does as Milvus does: $name"] },
  "streaming-hostile": { [all]: [hostile, "is corrupt where Milvus panics, and the error says the field: $name"] },
  "streaming-messages": logGroups,
  "streaming-messages-2.5": log25Groups,
  tso: {
    compose: [ticks, "is put together as in Milvus, where that does not wrap: $name"],
    parse: [ticks, "is taken apart as in Milvus: $name"],
    add: [ticks, "moves by whole milliseconds as in Milvus, where that does not wrap: $name"],
    difference: [tables, "take ticks from each other: $name"],
    "valid-physical": { not: "a bound on the years that Milvus believes, which nothing of ours asks" },
  },
  "txn-assembly": txns,
  "txn-assembly-2.5": txns,
};

function groupsOf(file: string): Set<string> {
  return new Set(vectorCases<VectorCase<unknown> & { readonly kind?: string }>(file).map(({ kind, name }) => kind ?? groupIn(name)));
}

/** Keys of RocksMQ are numbered, or named after their topic. */
function groupIn(name: string): string {
  return /^(?:meta|store) key/.exec(name)?.[0] ?? name.split("/")[0] ?? name;
}

describe("Milvus's vectors", () => {
  const files = readdirSync(`${root}test/vectors/milvus-go`).map((name) => name.replace(/\.json\.gz$/, ""));

  it("are looked at, every file", () => {
    expect(files.sort()).toEqual(Object.keys(looked).sort());
  });

  it.each(files)("are looked at, every group of records of %s", (file) => {
    const rowsOfFile = looked[file] ?? {};
    const groups = [...groupsOf(file)];

    expect(all in rowsOfFile ? [] : groups.filter((group) => !(group in rowsOfFile))).toEqual([]);
    expect(Object.keys(rowsOfFile).filter((group) => group !== all && !groups.includes(group))).toEqual([]);
  });

  it("are looked at by tests that are there", () => {
    const named = Object.values(looked).flatMap((groups) =>
      Object.values(groups).flatMap((one) => ("not" in one ? [] : [{ file: one[0], title: one[1] }])),
    );

    expect(missingTests(named)).toEqual([]);
  });
});
