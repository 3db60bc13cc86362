/** SIGKILL in the middle of an import: the queue has valid beginnings, the original is as it was, and the next import cleans up. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { importMilvusRocksMq, openRocksMq, type RocksMq } from "../../src/rocksmq/index.js";
import { SeededRandom } from "../../src/testing/seeded-random.js";
import { seedOf, tell } from "../crash/seed.js";
import { root } from "../layers/imports.js";
import { checksums, type Expected, milvusVectors, payloadHash, unpack } from "./milvus-vectors.js";

const rounds = 8;
const [vector] = milvusVectors.filter(({ archive }) => archive === "rocksmq-kill9");
if (vector === undefined) throw new Error("the archive is missing");

/** What a killed import had told before: messages stored, by topic, in the order they came. */
function killedImport(from: string, dir: string, engine: string, steps: number, us: number): ReadonlyMap<string, number> {
  const args = [join(root, "test", "rocksdb", "import-killed.mjs"), from, dir, engine, String(steps), String(us)];
  const died = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(died.signal, died.stderr).toBe("SIGKILL");
  const told = died.stdout.trim().split("\n");
  // It was killed in the middle: behind the first thing stored, and before the end.
  expect(told.length).toBeGreaterThanOrEqual(steps);
  expect(told.at(-1)).not.toBe("done");
  return new Map(
    told.map((line) => JSON.parse(line) as { topic: string; messages: number }).map(({ topic, messages }) => [topic, messages]),
  );
}

async function contentOf(mq: RocksMq, channel: string): Promise<Expected[]> {
  const found: Expected[] = [];
  for await (const messages of mq.read(channel, { from: "earliest" })) {
    for (const { id, payload } of messages) found.push({ id, hash: payloadHash(payload) });
  }
  return found;
}

it(
  `an import killed ${rounds} times leaves a valid beginning, the original and no copy, and says what to do`,
  { timeout: 120_000 },
  async () => {
    const seed = seedOf(1);
    const random = new SeededRandom(seed);
    const { home, from } = unpack(vector);
    const content = vector.content();
    const original = [checksums(from), checksums(`${from}_meta_kv`)];
    const all = { topics: vector.topics, messages: 1469 };
    /** The steps that are told after the first message is stored and before the last is. */
    const middle: number[] = [];
    const kills = { partTopics: 0, partMessages: 0, leftCopies: 0 };
    try {
      const whole = await openRocksMq({ dir: join(home, "whole") });
      const stored = new Map<string, number>();
      let steps = 0;
      const onProgress = ({ topic, messages }: { topic: string; messages: number }): void => {
        stored.set(topic, messages);
        const sum = [...stored.values()].reduce((a, b) => a + b);
        steps += 1;
        if (sum > 0 && sum < all.messages) middle.push(steps);
      };
      expect(await importMilvusRocksMq({ from, into: whole, onProgress })).toEqual(all);
      await whole.close();
      for (let round = 1; round <= rounds; round += 1) {
        const ours = join(home, `ours-${round}`);
        mkdirSync(ours);
        const dir = join(ours, "queue");
        const engine = round % 2 === 0 ? "rocksdb" : "segment";
        const told = killedImport(from, dir, engine, middle[random.below(middle.length)] ?? 0, random.below(1_000));
        expect([checksums(from), checksums(`${from}_meta_kv`)]).toEqual(original);
        kills.leftCopies += readdirSync(ours).filter((name) => name.startsWith(".tidemark-import-queue-")).length;

        const mq = await openRocksMq({ dir, engine });
        const channels = await mq.channels();
        if (channels.length < vector.topics) kills.partTopics += 1;
        let messages = 0;
        for (const channel of channels) {
          const found = await contentOf(mq, channel);
          const rows = content.get(channel) ?? [];
          expect(found).toEqual(rows.slice(0, found.length));
          expect(found.length).toBeGreaterThanOrEqual(told.get(channel) ?? 0);
          messages += found.length;
        }
        for (const topic of told.keys()) expect(channels).toContain(topic);
        if (messages > 0 && messages < all.messages) kills.partMessages += 1;

        const again = importMilvusRocksMq({ from, into: mq });
        await expect(again).rejects.toMatchObject({
          code: "channel-exists",
          message: expect.stringContaining("remove that queue and import into a new one") as string,
        });
        await mq.close();
        expect(readdirSync(ours)).toEqual(["queue"]);
      }
    } finally {
      rmSync(home, { recursive: true, force: true });
    }

    tell("killed imports", { rounds, ...kills, seed });
    expect(kills.leftCopies).toBe(rounds);
    expect(kills.partTopics).toBeGreaterThanOrEqual(rounds / 2);
    expect(kills.partMessages).toBeGreaterThanOrEqual(rounds / 2);
  },
);
