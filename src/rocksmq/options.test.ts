import { describe, expect, it } from "vitest";
import { systemClock } from "../base/clock.js";
import { MemoryVfs } from "../testing/index.js";
import { openRocksMq } from "./open.js";
import { type RocksMqOptions, resolveOptions } from "./options.js";

/** As a caller without types may write it. */
function untyped(options: Record<string, unknown>): RocksMqOptions {
  return { dir: "queue", vfs: new MemoryVfs(), ...options };
}

describe("the options of a queue", () => {
  it("have defaults for all but the directory", () => {
    const { engine, queue } = resolveOptions({ dir: "queue" });

    expect(engine).toMatchObject({ dir: "queue", ids: "internal", durability: "sync", segmentBytes: 64 * 1024 * 1024, clock: systemClock });
    expect(engine.vfs.kind).toBe("node");
    expect(queue).toMatchObject({ maxMessageBytes: 16 * 1024 * 1024, maxPendingBytes: 64 * 1024 * 1024, ids: undefined });
  });

  it("may be left out by being undefined", () => {
    const undefinedAll = { engine: undefined, readOnly: undefined, durability: undefined, retention: undefined, segmentBytes: undefined };
    const more = { prefill: undefined, maxMessageBytes: undefined, maxPendingBytes: undefined, ids: undefined, clock: undefined };

    expect(resolveOptions({ dir: "queue", ...undefinedAll, ...more, vfs: undefined, metrics: undefined, logger: undefined })).toMatchObject(
      {
        engine: { durability: "sync" },
      },
    );
  });

  it("take what they say", () => {
    const vfs = new MemoryVfs();
    const { engine } = resolveOptions({
      dir: "d",
      engine: "segment",
      readOnly: false,
      durability: { everyMs: 5 },
      segmentBytes: 4096,
      vfs,
    });

    expect(engine).toMatchObject({ durability: { everyMs: 5 }, segmentBytes: 4096, vfs });
    const told: string[] = [];
    const say = (_: object, text: string): void => void told.push(text);
    const spoken = resolveOptions({ dir: "d", durability: "os", logger: { debug: say, info: say, warn: say, error: say } }).engine;
    spoken.logger.info({}, "hello");
    expect([spoken.durability, told]).toEqual(["os", ["hello"]]);
  });

  it.each<[string, unknown]>([
    ["dir", ""],
    ["dir", undefined],
    ["dir", "a\0b"],
    ["engine", "leveldb"],
    ["engine", null],
    ["readOnly", "yes"],
    ["durability", "often"],
    ["durability", null],
    ["durability.everyMs", { everyMs: 0 }],
    ["durability.everyMs", { everyMs: 1.5 }],
    ["durability.everyMs", {}],
    ["prefill", "on"],
    ["segmentBytes", 0],
    ["segmentBytes", 4095],
    ["segmentBytes", 2 ** 40],
    ["segmentBytes", "1 MiB"],
    ["maxMessageBytes", 0],
    ["maxMessageBytes", NaN],
    ["maxMessageBytes", 10n],
    ["maxPendingBytes", -1],
    ["maxPendingBytes", Infinity],
    ["ids", {}],
    ["ids", null],
    ["clock", { nowMs: () => 1 }],
    ["vfs", {}],
    ["vfs", "/tmp"],
    ["metrics", { counter: () => undefined }],
    ["logger", "stdout"],
  ])("refuse %s: %s", async (argument, value) => {
    const option = argument.split(".")[0] ?? "";

    await expect(openRocksMq(untyped({ [option]: value }))).rejects.toMatchObject({
      code: "invalid-argument",
      details: { argument },
      message: expect.stringContaining(`${argument} must be`) as string,
    });
  });

  it("are none that nobody knows: a misspelled one is refused by its name", async () => {
    for (const [options, argument] of [
      [{ durabilty: "os" }, "durabilty"],
      [{ durability: { everyMs: 5, every: 5 } }, "durability.every"],
    ] as const) {
      await expect(openRocksMq(untyped(options))).rejects.toMatchObject({
        code: "invalid-argument",
        details: { argument },
        message: expect.stringContaining(`${argument} is not an option here`) as string,
      });
    }
    expect(resolveOptions(untyped({ durabilty: undefined }))).toMatchObject({ engine: { durability: "sync" } });
  });

  it.each<[string, unknown]>([
    ["durability", "os"],
    ["segmentBytes", 4096],
    ["prefill", "off"],
    ["maxMessageBytes", 1],
    ["maxPendingBytes", 1],
    ["ids", { alloc: () => Promise.resolve([0n, 1n]) }],
  ])("say of %s that it makes no sense beside readOnly", async (option, value) => {
    await expect(openRocksMq(untyped({ readOnly: true, [option]: value }))).rejects.toMatchObject({
      code: "invalid-argument",
      details: { argument: option },
      message: expect.stringContaining("readOnly: leave it out") as string,
    });
  });

  it.each<[string, unknown]>([
    ["readOnly", true],
    ["segmentBytes", 1_000_000],
    ["prefill", "off"],
    ["vfs", new MemoryVfs()],
  ])("of segments are refused with the RocksDB engine: %s", async (option, value) => {
    await expect(openRocksMq({ dir: "queue", engine: "rocksdb", [option]: value })).rejects.toMatchObject({
      code: "invalid-argument",
      details: { argument: option },
      message: expect.stringContaining('engine "rocksdb": leave it out') as string,
    });
  });

  it("are an object", async () => {
    await expect(Reflect.apply(openRocksMq, undefined, ["./queue"])).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(Reflect.apply(openRocksMq, undefined, [])).rejects.toMatchObject({ code: "invalid-argument" });
  });
});
