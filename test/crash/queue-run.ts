/**
 * A run of a script over the queue: what a program can ask of it, with cursors that move by reading, by seeking and by acknowledging.
 */
import { openRocksMq, type ConsumerMessage, type Retention, type RocksMq } from "../../src/rocksmq/index.js";
import type { ManualClock, MemoryVfs } from "../../src/testing/index.js";
import { directory, ScriptRun, type OpenStore, type Script, type Start } from "./script-run.js";
import { channelOf, payloadOf, type FoundChannel, type StoreState } from "./store-state.js";

/** A script for a queue. */
export interface QueueScript extends Script<QueueRun> {
  /** What channels without their own keep while the script runs. Whoever looks at what a cut has left removes nothing. */
  readonly retention?: Retention | undefined;
}

class QueueStore implements OpenStore {
  readonly hasFailed = false;
  readonly mq: RocksMq;

  constructor(mq: RocksMq) {
    this.mq = mq;
  }

  async state(): Promise<StoreState> {
    const channels = new Map<string, FoundChannel>();
    const keys = new Map((await this.mq.consumerGroups()).map((group) => [`groups/${group}`, "made"]));
    for (const name of await this.mq.channels()) {
      const { beginId, endId, messages, groups } = await this.mq.describeChannel(name);
      const read = await allOf(this.mq, name, { from: "earliest" });
      channels.set(name, channelOf({ name, beginId, endId, messages: Number(messages) }, read));
      for (const { group, currentId } of groups) keys.set(`${group}/${name}`, String(currentId));
    }
    return { channels, keys };
  }

  close(): Promise<void> {
    return this.mq.close();
  }
}

/** What scripts for a queue do things with. */
export class QueueRun extends ScriptRun<QueueStore> {
  readonly #retention: Retention | undefined;

  constructor(script: Omit<QueueScript, "steps">, start: Start) {
    super(script, start);
    this.#retention = script.retention;
  }

  get mq(): RocksMq {
    return this.store.mq;
  }

  async create(channel: string, retention?: Retention): Promise<void> {
    await this.call({ kind: "create", channel }, () => this.mq.createChannel(channel, { retention }));
  }

  async destroy(channel: string): Promise<void> {
    await this.call({ kind: "destroy", channel }, () => this.mq.destroyChannel(channel));
  }

  async createGroup(group: string): Promise<void> {
    await this.call({ kind: "put", key: `groups/${group}`, value: "made" }, () => this.mq.createConsumerGroup(group));
  }

  async destroyGroup(group: string): Promise<void> {
    await this.call({ kind: "destroyGroup", group }, () => this.mq.destroyConsumerGroup(group));
  }

  /** One batch. Resolves with its first id. */
  async produce(channel: string, count: number, size = 40): Promise<bigint | undefined> {
    const tags = this.newTags(channel, count, size);
    const call = await this.call({ kind: "append", channel, tags }, async (appended) => {
      const { firstId } = await this.mq.produce(
        channel,
        tags.map((tag) => ({ payload: payloadOf(tag) })),
      );
      this.ids.acked(channel, firstId, tags);
      appended.firstId = firstId;
    });
    return call.firstId;
  }

  async trim(channel: string, beforeId: bigint): Promise<void> {
    await this.call({ kind: "trim", channel, beforeId }, () => this.mq.trim(channel, beforeId));
  }

  /** Reading is acknowledging. Nothing else may be under way on the pair, so that it is known where the cursor goes. */
  async consume(group: string, channel: string, max: number): Promise<void> {
    const key = `${group}/${channel}`;
    const { beginId, groups } = await this.mq.describeChannel(channel);
    const cursor = groups.find((one) => one.group === group)?.currentId;
    const from = cursor ?? beginId;
    const due = await allOf(this.mq, channel, { from, limit: max });
    const value = String((due.at(-1)?.id ?? from - 1n) + 1n);
    // A cursor comes into being where it begins, and moves then.
    const birth = cursor === undefined ? this.history.begin({ kind: "put", key, value: String(from) }) : undefined;
    const consume = async (): Promise<void> => void (await this.mq.consume(group, channel, max));
    const { outcome } = await this.call({ kind: "put", key, value }, consume, "written");
    if (birth !== undefined) birth.outcome = outcome;
  }

  /**
   * Reads the only batch of a channel that keeps nothing but what is unread: it goes by itself then, and nobody asks for it. Resolves once that was
   * told.
   */
  async consumeAndLetGo(group: string, channel: string): Promise<void> {
    const events = this.mq.events();
    const { endId } = await this.mq.describeChannel(channel);
    await this.consume(group, channel, 100);
    await this.call({ kind: "trim", channel, beforeId: endId }, async () => {
      for await (const event of events) if (event.type === "trimmed" && event.channel === channel && event.beginId === endId) return;
    });
  }

  async seek(group: string, channel: string, id: bigint): Promise<void> {
    await this.call({ kind: "put", key: `${group}/${channel}`, value: String(id) }, () => this.mq.seek(group, channel, id));
  }

  /** Takes a batch of a subscription and acknowledges its first message, on a pair that has a cursor. */
  async acknowledge(group: string, channel: string): Promise<void> {
    const subscription = this.mq.subscribe(group, channel, { ack: "manual", batch: 2 });
    for await (const [first] of subscription) {
      if (first === undefined) break;
      const value = String(first.id + 1n);
      await this.call({ kind: "put", key: `${group}/${channel}`, value }, () => subscription.ack(first.id));
      break;
    }
  }

  protected async openOn(vfs: MemoryVfs, clock: ManualClock, script: Omit<QueueScript, "steps">): Promise<QueueStore> {
    const { durability, segmentBytes } = script;
    const retention = vfs === this.vfs ? this.#retention : undefined;
    return new QueueStore(await openRocksMq({ dir: directory, durability, segmentBytes, retention, clock, vfs }));
  }
}

/** Runs over the queue, for an `Explorer`. */
export function queueRuns(script: Script<QueueRun>, start: Start): QueueRun {
  return new QueueRun(script, start);
}

async function allOf(mq: RocksMq, channel: string, from: { from: "earliest" | bigint; limit?: number }): Promise<ConsumerMessage[]> {
  const all: ConsumerMessage[] = [];
  for await (const messages of mq.read(channel, { ...from, batch: 7 })) all.push(...messages);
  return all;
}
