import { describe, expect, it } from "vitest";
import { TidemarkError } from "../../base/errors.js";
import { bytes } from "../conformance/meta-under-test.js";
import { MoodyMeta } from "../conformance/moody-meta.js";
import { channelNames, encodeLotRecord, lotKey } from "./channel-lot.js";
import { type ChannelService, openChannelService } from "./channel-service.js";
import type { ChannelStore } from "./channel-store.js";

const owner = { role: "proxy", address: "10.0.0.7:19530", descriptionText: "inserts — テスト 🦆" };

/** Channels that are but names, and a store that fails when told to. */
class Shelf implements ChannelStore {
  readonly names = new Set<string>();
  /** What the next calls throw, one each; undefined: nothing. */
  readonly failures: (Error | undefined)[] = [];

  async createChannel(name: string): Promise<void> {
    this.#fail();
    if (this.names.has(name)) throw new TidemarkError("channel-exists", "there already", {});
    this.names.add(name);
  }

  async destroyChannel(name: string): Promise<void> {
    this.#fail();
    if (!this.names.delete(name)) throw new TidemarkError("channel-not-found", "not there", { channels: [name] });
  }

  #fail(): void {
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
  }
}

interface Stage {
  readonly meta: MoodyMeta;
  readonly shelf: Shelf;
  readonly service: ChannelService & AsyncDisposable;
  /** What an unfinished change would leave. */
  readonly lots: () => Promise<number>;
}

async function staged(): Promise<Stage> {
  const [meta, shelf] = [await MoodyMeta.open(), new Shelf()];
  const service = await openChannelService({ meta, store: shelf });
  return { meta, shelf, service, lots: async () => (await meta.range("channel-lots/")).entries.length };
}

async function make(service: ChannelService, numChannels: number, ownerDescription = owner): Promise<string[]> {
  return (await service.createChannels({ ownerDescription, numChannels })).channelNames;
}

async function namesOf(service: ChannelService): Promise<string[]> {
  return (await service.describeChannels({ channelNames: [] })).descriptions.map(({ channelName }) => channelName);
}

const down = new Error("the store is down");

describe("a channel service", () => {
  it("settles more unfinished lots than one transaction takes", async () => {
    const [meta, shelf] = [await MoodyMeta.open(), new Shelf()];
    const lots = Array.from({ length: 1_100 }, (_, at) => at.toString(16).padStart(16, "0"));
    for (const lot of lots) {
      const pending = channelNames("topic", lot, 1);
      await meta.put(lotKey(lot), encodeLotRecord({ owner, channels: [], pending }));
      for (const name of pending) shelf.names.add(name);
    }

    await openChannelService({ meta, store: shelf });

    expect((await meta.range("channel-lots/")).entries).toEqual([]);
    expect(shelf.names.size).toBe(0);
  });

  it("makes as many channels as asked for, in the store, under names of their own", async () => {
    const { service, shelf } = await staged();

    const names = [...(await make(service, 100)), ...(await make(service, 3))];

    expect(new Set(names).size).toBe(103);
    expect(new Set(names)).toEqual(shelf.names);
    expect(names.every((name) => /^channel-[0-9a-f]{16}-\d+$/.test(name))).toBe(true);
  });

  it("describes channels with their owners in the order of the names, and all of them in the order they were made", async () => {
    const { service } = await staged();
    const other = { role: "", address: "", descriptionText: "" };
    const [a = "", b = ""] = await make(service, 2);
    const [c = ""] = await make(service, 1, other);

    const { descriptions } = await service.describeChannels({ channelNames: [c, a, c] });

    expect(descriptions).toEqual([
      { channelName: c, owner: other },
      { channelName: a, owner },
      { channelName: c, owner: other },
    ]);
    expect(await namesOf(service)).toEqual([a, b, c]);
  });

  it("destroys channels of many calls in one, under both spellings", async () => {
    const { service, shelf, lots } = await staged();
    const [a = "", b = ""] = await make(service, 2);
    const [c = "", d = ""] = await make(service, 2);

    await service.destroyChannels({ channelNames: [c, a, c] });
    expect(await namesOf(service)).toEqual([b, d]);
    expect(shelf.names).toEqual(new Set([b, d]));

    await service.destoryChannels({ channelNames: [d, b] });
    await service.destroyChannels({ channelNames: [] });
    expect(shelf.names.size).toBe(0);
    expect(await lots()).toBe(0);
  });

  it("lists all names that it does not know, each once, and does nothing", async () => {
    const { service, shelf } = await staged();
    const [a = "", b = ""] = await make(service, 2);
    await service.destroyChannels({ channelNames: [b] });
    shelf.names.add("foreign");
    const unknown = [b, "foreign", "", `${a}0`, "x".repeat(500)];
    const refusal = { code: "channel-not-found", effect: "none", details: { channels: unknown } };

    await expect(service.destroyChannels({ channelNames: [a, ...unknown, b] })).rejects.toMatchObject(refusal);
    await expect(service.describeChannels({ channelNames: [a, ...unknown, b] })).rejects.toMatchObject(refusal);

    expect(await namesOf(service)).toEqual([a]);
    expect(shelf.names).toEqual(new Set([a, "foreign"]));
  });

  it("leaves none of the channels when the store fails to make one, and says what it said", async () => {
    const { service, shelf, lots } = await staged();
    shelf.failures.push(undefined, undefined, down);

    await expect(make(service, 100)).rejects.toBe(down);

    expect(shelf.names.size).toBe(0);
    expect(await lots()).toBe(0);
    expect(await make(service, 2)).toHaveLength(2);
  });

  it("does not take away a channel that was there before, whatever its name", async () => {
    const { service, shelf } = await staged();
    const create = shelf.createChannel.bind(shelf);
    shelf.createChannel = async (name) => {
      if (name.endsWith("-2")) shelf.names.add(name);
      return create(name);
    };

    await expect(make(service, 4)).rejects.toMatchObject({ code: "channel-exists" });

    expect([...shelf.names].map((name) => name.at(-1))).toEqual(["2"]);
  });

  it("undoes with the next change what it could not undo at once", async () => {
    const { service, shelf, lots } = await staged();
    shelf.failures.push(undefined, down, down, down);
    await expect(make(service, 3)).rejects.toBe(down);
    expect(await namesOf(service)).toEqual([]);

    const names = await make(service, 1);

    expect(shelf.names).toEqual(new Set(names));
    expect(await lots()).toBe(1);
  });

  it("finishes a destroy that failed half-way with the next change, or when it is opened again", async () => {
    const { service, shelf, meta } = await staged();
    const names = await make(service, 3);
    shelf.failures.push(undefined, down);

    const failed = service.destroyChannels({ channelNames: names });
    await expect(failed).rejects.toMatchObject({ code: "backend-failure", effect: "unknown", cause: down });
    expect(await namesOf(service)).toEqual([]);
    expect(shelf.names.size).toBe(1);

    await openChannelService({ meta, store: shelf });
    expect(shelf.names.size).toBe(0);
  });

  it.each(["before", "after"] as const)("is all or nothing when the metadata fails %s it stored", async (moment) => {
    for (let txn = 0; txn < 4; txn++) {
      const { service, shelf, meta } = await staged();
      const kept = await make(service, 2);
      const moods = Array.from({ length: txn }, () => ({}));
      meta.txns.push(...moods, { [moment]: () => Promise.reject(new Error("no answer")) });

      const made: string[] = await make(service, 3).catch(() => []);
      await service.destroyChannels({ channelNames: kept }).catch(() => undefined);
      const again = await openChannelService({ meta, store: shelf });

      const found = await namesOf(again);
      expect(new Set(found)).toEqual(shelf.names);
      expect(meta.txns).toEqual([]);
      const others = found.filter((name) => !made.includes(name) && !kept.includes(name));
      expect([0, 3]).toContain(others.length);
      expect([0, 2]).toContain(found.filter((name) => kept.includes(name)).length);
      if (made.length > 0) expect(found).toEqual(expect.arrayContaining(made));
    }
  });

  it("that is taken over in the middle of a create leaves nothing of it", async () => {
    const { service, shelf, meta, lots } = await staged();
    const create = shelf.createChannel.bind(shelf);
    let hasTakenOver = false;
    shelf.createChannel = async (name) => {
      if (!hasTakenOver) {
        hasTakenOver = true;
        await openChannelService({ meta, store: shelf });
      }
      return create(name);
    };

    await expect(make(service, 3)).rejects.toMatchObject({ code: "conflict", retry: "reopen" });

    expect(shelf.names.size).toBe(0);
    expect(await lots()).toBe(0);
  });

  it("runs changes in call order", async () => {
    const { service, shelf } = await staged();
    const [a = ""] = await make(service, 1);

    const both = [service.destroyChannels({ channelNames: [a] }), service.destroyChannels({ channelNames: [a] }), make(service, 1)];
    const [first, second, third] = await Promise.allSettled(both);

    expect([first?.status, second?.status, third?.status]).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(shelf.names.size).toBe(1);
  });

  it("settles what is under way before it is closed, and refuses what comes after", async () => {
    const { service, shelf } = await staged();
    const made = make(service, 2);

    await service[Symbol.asyncDispose]();

    expect(shelf.names).toEqual(new Set(await made));
    const refusal = { code: "closed", effect: "none" };
    await expect(make(service, 1)).rejects.toMatchObject(refusal);
    await expect(service.destroyChannels({ channelNames: [] })).rejects.toMatchObject(refusal);
    await expect(service.describeChannels({ channelNames: [] })).rejects.toMatchObject(refusal);
  });

  it("takes nothing for a lot that is none", async () => {
    for (const text of [
      "",
      "null",
      "{}",
      '{"owner":{},"channels":[],"pending":[]}',
      `{"owner":${JSON.stringify(owner)},"channels":[5],"pending":[]}`,
    ]) {
      const meta = await MoodyMeta.open();
      await meta.put("channel-lots/0123456789abcdef", bytes(text));

      await expect(openChannelService({ meta, store: new Shelf() })).rejects.toMatchObject({ code: "corrupt" });
    }
  });
});

describe("a channel service refuses", () => {
  const texts = { role: "r", address: "a", descriptionText: "d" };

  it.each<[string, string, object]>([
    ["no channels", "numChannels", { ownerDescription: texts, numChannels: 0 }],
    ["fewer than none", "numChannels", { ownerDescription: texts, numChannels: -1 }],
    ["half a channel", "numChannels", { ownerDescription: texts, numChannels: 1.5 }],
    ["too many", "numChannels", { ownerDescription: texts, numChannels: 10_001 }],
    ["no owner", "ownerDescription", { numChannels: 1 }],
    ["an owner without a role", "ownerDescription.role", { ownerDescription: { ...texts, role: undefined }, numChannels: 1 }],
    ["half a character", "ownerDescription.address", { ownerDescription: { ...texts, address: "\ud83d" }, numChannels: 1 }],
    ["what it does not know", "owner", { ownerDescription: texts, numChannels: 1, owner: texts }],
  ])("%s, naming it", async (_, argument, request) => {
    const { service, lots } = await staged();
    const create: (request: never) => Promise<unknown> = service.createChannels.bind(service);

    await expect(create(request as never)).rejects.toMatchObject({ code: "invalid-argument", details: { argument } });
    expect(await lots()).toBe(0);
  });

  it("an owner's text that is too long, with the numbers", async () => {
    const { service } = await staged();
    const long = { ...texts, descriptionText: "é".repeat(32_769) };

    await expect(make(service, 1, long)).rejects.toMatchObject({ code: "too-large", details: { limit: 65_536, size: 65_538 } });
  });

  it.each<[string, unknown]>([
    ["channelNames", "a"],
    ["channelNames[1]", ["a", 5]],
    ["channelNames[0]", ["\udc00"]],
  ])("names that are none: %s", async (argument, channelNames) => {
    const { service } = await staged();
    const refusal = { code: "invalid-argument", details: { argument } };

    await expect(service.describeChannels({ channelNames: channelNames as never })).rejects.toMatchObject(refusal);
    await expect(service.destroyChannels({ channelNames: channelNames as never })).rejects.toMatchObject(refusal);
  });

  it.each<[string, object]>([
    ["namePrefix", { namePrefix: "a/b" }],
    ["namePrefix", { namePrefix: "" }],
    ["namePrefix", { namePrefix: "x".repeat(201) }],
    ["namePrefix", { namePrefix: "\ud800" }],
    ["meta", { meta: undefined }],
    ["store", { store: {} }],
    ["prefix", { prefix: "p" }],
  ])("to be opened with a bad %s", async (argument, options) => {
    const open: (options: never) => Promise<unknown> = openChannelService;
    const all = { meta: await MoodyMeta.open(), store: new Shelf(), ...options };

    await expect(open(all as never)).rejects.toMatchObject({ code: "invalid-argument", details: { argument } });
  });
});
