import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { beforeAll, describe, expect, it } from "vitest";
import { done, scratchFolder, start, tidemark } from "./program.js";

const scratch = scratchFolder();

interface Pack {
  readonly beginTs: string;
  readonly endTs: string;
  readonly watermark: string;
  readonly msgs: readonly { readonly channel: string; readonly payload: string; readonly timestamp: string }[];
  readonly positions: readonly { readonly channel: string }[];
}

function packs(stdout: string): Pack[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Pack);
}

function payloads(pack: Pack | undefined): string[] {
  return pack?.msgs.map(({ payload }) => payload) ?? [];
}

describe("tidemark stream", () => {
  const dir = join(scratch, "spread");
  let acked = "";
  beforeAll(async () => {
    await done(["stream", "produce", "a", "b", "c", "--dir", dir], { input: "1\n2\n3\n4\n" });
    const lines = ["x", "y", "x", "z", "x"].map((plane, at) => JSON.stringify({ payload: String(at), properties: { plane } }));
    const byPlane = ["--format", "ndjson", "--key", "plane", "--json"];
    acked = await done(["stream", "produce", "a", "b", "c", "--dir", dir, ...byPlane], { input: `${lines.join("\n")}\n` });
  });

  it("hands on what was spread over channels as packs that are cut at the ticks between batches, each key in one channel", async () => {
    const [first, second] = packs(await done(["stream", "tail", "a", "b", "c", "--dir", dir, "--max", "2"]));

    expect(payloads(first).sort()).toEqual(["1", "2", "3", "4"]);
    expect(payloads(second).sort()).toEqual(["0", "1", "2", "3", "4"]);
    expect(second?.beginTs).toBe(first?.endTs);
    expect(second?.positions.map(({ channel }) => channel).sort()).toEqual(["a", "b", "c"]);
    expect(JSON.parse(acked)).toMatchObject({ messages: 5, endTs: second?.endTs, watermark: second?.watermark });
    const ofX = second?.msgs.filter(({ payload }) => ["0", "2", "4"].includes(payload)) ?? [];
    expect(ofX.map(({ payload }) => payload)).toEqual(["0", "2", "4"]);
    expect(new Set(ofX.map(({ channel }) => channel)).size).toBe(1);
  });

  it("follows beside the program that writes, until it is interrupted", async () => {
    const tail = start(["stream", "tail", "a", "b", "--dir", dir]);
    const lines = createInterface({ input: tail.stdout })[Symbol.asyncIterator]();
    const nextPack = async (): Promise<Pack | undefined> => packs(String((await lines.next()).value))[0];
    await nextPack();
    await nextPack();

    await done(["stream", "produce", "a", "b", "--dir", dir], { input: "new\n" });
    const more = await nextPack();
    tail.kill("SIGINT");
    const [code] = (await once(tail, "close")) as [number];

    expect(payloads(more)).toEqual(["new"]);
    expect(code).toBe(130);
  });

  it("says what is wrong: no channel named, none there to read, a message without its key", async () => {
    const said = (text: string): string => expect.stringContaining(text) as string;

    const [unnamed, gone, keyless] = await Promise.all([
      tidemark(["stream", "tail", "--dir", dir]),
      tidemark(["stream", "tail", "gone", "--dir", dir]),
      tidemark(["stream", "produce", "a", "--dir", dir, "--key", "k"], { input: "1\n" }),
    ]);

    expect(unnamed).toMatchObject({ code: 2, stderr: said("<channel…> is missing") });
    expect(gone).toMatchObject({ code: 1, stderr: said('"gone"') });
    expect(keyless).toMatchObject({ code: 1, stderr: said('no property "k"') });
  });
});
