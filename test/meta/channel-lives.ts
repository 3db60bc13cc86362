/**
 * A channel service over a queue, both on one disk in memory, that is killed or loses power at a given operation of that disk, opened again,
 * and asked what is there.
 */
import { EngineMetaStore } from "../../src/meta/embedded/engine-meta-store.js";
import { type ChannelService, openChannelService } from "../../src/meta/index.js";
import { openRocksMq, type RocksMq } from "../../src/rocksmq/index.js";
import { ManualClock, MemoryVfs } from "../../src/testing/index.js";
import { openMetaEngine } from "./meta-engine.js";

const owner = { role: "writer", address: "here", descriptionText: "lives" };

/** The service and the queue that it makes channels in. */
export interface OpenService {
  readonly service: ChannelService;
  readonly mq: RocksMq;
}

/** Opens both on a disk. */
export async function openOn(vfs: MemoryVfs): Promise<OpenService> {
  const clock = new ManualClock();
  const mq = await openRocksMq({ dir: "/queue", vfs, clock, prefill: "off", segmentBytes: 64 * 1024 });
  const engine = await openMetaEngine(vfs, clock);
  return { mq, service: await openChannelService({ meta: new EngineMetaStore(engine), store: mq }) };
}

/** What a script has been told, and what it was waiting for when it ended. */
export class Books {
  /** Channels that are there for certain. */
  readonly there = new Set<string>();
  /** Channels that were being destroyed: all of them are there, or none. */
  going: readonly string[] = [];
  /** So many channels were being made. */
  coming = 0;

  /** Makes and destroys channels: whole lots, parts of one, and parts of two at once. */
  async live(service: ChannelService): Promise<void> {
    const a = await this.#create(service, 3);
    const b = await this.#create(service, 2);
    await this.#destroy(service, [...a.slice(0, 1), ...b.slice(0, 1)]);
    await this.#create(service, 1);
    await this.#destroy(service, a.slice(1));
  }

  /** What is wrong with what was found; empty when all or nothing of each call is there. */
  async faults({ service, mq }: OpenService): Promise<string[]> {
    const found = (await service.describeChannels({ channelNames: [] })).descriptions.map(({ channelName }) => channelName);
    const stored = await mq.channels();
    const certain = [...this.there].filter((name) => !this.going.includes(name));
    const left = this.going.filter((name) => found.includes(name));
    const unasked = found.filter((name) => !this.there.has(name));
    return [
      ...certain.filter((name) => !found.includes(name)).map((name) => `${name} is lost`),
      ...(left.length === 0 || left.length === this.going.length ? [] : [`${left.length} of ${this.going.length} are destroyed`]),
      ...(unasked.length === 0 || unasked.length === this.coming ? [] : [`${unasked.length} of ${this.coming} are made`]),
      ...stored.filter((name) => !found.includes(name)).map((name) => `${name} is nobody's`),
      ...found.filter((name) => !stored.includes(name)).map((name) => `${name} is not in the store`),
    ];
  }

  /** What a script says before and after each call. */
  note(line: string): void {
    const [word, ...names] = line.split(" ");
    if (word === "creating") this.coming = Number(names[0]);
    if (word === "destroying") this.going = names;
    if (word === "created") {
      this.coming = 0;
      for (const name of names) this.there.add(name);
    }
    if (word === "destroyed") {
      for (const name of this.going) this.there.delete(name);
      this.going = [];
    }
  }

  /** What was in doubt is known now. */
  settle(found: readonly string[]): void {
    this.there.clear();
    for (const name of found) this.there.add(name);
    [this.coming, this.going] = [0, []];
  }

  async #create(service: ChannelService, numChannels: number): Promise<string[]> {
    this.note(`creating ${numChannels}`);
    const { channelNames } = await service.createChannels({ ownerDescription: owner, numChannels });
    this.note(`created ${channelNames.join(" ")}`);
    return channelNames;
  }

  async #destroy(service: ChannelService, channelNames: readonly string[]): Promise<void> {
    this.note(`destroying ${channelNames.join(" ")}`);
    await service.destroyChannels({ channelNames });
    this.note("destroyed");
  }
}

/** How a life ends; torn: half of the write that it comes in is done. */
export interface End {
  readonly by: "kill" | "power cut";
  readonly torn: boolean;
}

/** All ways to end. */
export const ends: readonly [End, ...End[]] = [
  { by: "kill", torn: false },
  { by: "power cut", torn: true },
  { by: "kill", torn: true },
  { by: "power cut", torn: false },
];

/** Operations of the disk that a whole life takes: opening, and all calls. */
export async function operationsOfALife(): Promise<number> {
  const vfs = new MemoryVfs();
  const open = await openOn(vfs);
  const books = new Books();
  await books.live(open.service);
  if ((await books.faults(open)).length > 0) throw new Error("the script is wrong, or the service without any end");
  return vfs.operations;
}

/**
 * A life that ends at that operation, and the open after it, which may end at one of its own first.
 *
 * @returns what was wrong at last, and how many operations the last open took
 */
export async function endAt(operation: number, end: End, againAt?: number): Promise<{ faults: string[]; reopening: number }> {
  const books = new Books();
  let vfs = await ended(new MemoryVfs(operation), operation, end, async (disk) => books.live((await openOn(disk)).service));
  if (againAt !== undefined) vfs = await ended(vfs, againAt, end, openOn);
  const open = await openOn(vfs);
  const reopening = vfs.operations;
  return { faults: await books.faults(open), reopening };
}

async function ended(vfs: MemoryVfs, operation: number, end: End, life: (vfs: MemoryVfs) => Promise<unknown>): Promise<MemoryVfs> {
  const halted = vfs.haltAfter(operation, end);
  await Promise.race([life(vfs), halted]);
  if (!vfs.halted) throw new Error(`nothing came to operation ${operation}`);
  return end.by === "kill" ? vfs.kill() : vfs.crash();
}
