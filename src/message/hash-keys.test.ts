import { describe, expect, it } from "vitest";
import { unhex, vectorCases, vectorFile, type VectorCase } from "../../test/message/vectors.js";
import { hashInt64, hashString, hashToBuckets } from "./hash-keys.js";

interface HashMeaning {
  readonly function: string;
  readonly value: string;
  readonly hash: number;
  readonly crc32: number;
  readonly utf8Hex: string;
  readonly primaryKeys: readonly string[];
  readonly shards: number;
  readonly channelIndexes: readonly number[];
}
const cases = vectorCases<VectorCase<HashMeaning>>("hash-keys");
const named = (prefix: string): readonly VectorCase<HashMeaning>[] => cases.filter(({ name }) => name.startsWith(`${prefix}/`));

describe("hash keys", () => {
  it.each(named("int64"))("of numbers are Milvus's: $name", ({ meaning }) => {
    expect(hashInt64(BigInt(meaning.value))).toBe(meaning.hash);
  });

  it.each(named("string"))("of texts are Milvus's: $name", ({ meaning }) => {
    expect(hashString(Buffer.from(unhex(meaning.utf8Hex)).toString())).toBe(meaning.crc32);
  });

  it.each(named("pk2channels"))("choose Milvus's channels: $name", ({ name, meaning }) => {
    const keys = meaning.primaryKeys.map((key) => (name.includes("/int") ? BigInt(key) : key));

    expect(hashToBuckets(keys, meaning.shards)).toEqual(meaning.channelIndexes);
  });

  it("choose the shards that a live Milvus chose", () => {
    const { ik, vk } = vectorFile<{ readonly ik: Readonly<Record<string, number>>; readonly vk: Readonly<Record<string, number>> }>(
      "milvus-2.3.5/shard-of-key",
    );

    expect(hashToBuckets(Object.keys(ik).map(BigInt), 4)).toEqual(Object.values(ik));
    expect(hashToBuckets(Object.keys(vk), 4)).toEqual(Object.values(vk));
  });

  it("are of nothing that has no bytes", () => {
    expect(() => hashInt64(2n ** 63n)).toThrow("key must be a bigint from -2^63");
    expect(() => hashString("a\ud800")).toThrow("lone surrogates");
    expect(() => hashToBuckets([1n], 0)).toThrow("buckets must be a whole number from 1");
  });
});
