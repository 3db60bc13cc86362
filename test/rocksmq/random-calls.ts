/**
 * "Order of calls = order of effect, awaited or not", for any calls in any order: random calls are made, some awaited and most not, and each
 * must come to what it would in a queue where all were awaited.
 *
 * One freedom is left: who reads or describes looks when all before is done, and may see what was called right after, too.
 */
import { expect } from "vitest";
import { type IdAllocator, type RocksMq, streamQueueOf } from "../../src/rocksmq/index.js";
import type { SeededRandom } from "../../src/testing/seeded-random.js";
import { type Outcome, SequentialModel } from "./sequential-model.js";
import { message, readAll, texts } from "./stores.js";

const callsInOne = 80;

/** A call on the queue, and the same on the model. */
interface Call {
  readonly name: string;
  readonly real: () => Promise<unknown>;
  readonly model: () => Outcome;
  /** What it changes: a channel and its cursors, or a group. */
  readonly changes?: string;
  /** The channel that it appends to. */
  readonly appends?: string;
  /** Whether its outcome may already show what this later call does. */
  readonly mayShow?: (later: Call) => boolean;
}

/** Ids from 1 on. */
export function countingAllocator(): IdAllocator {
  let next = 1n;
  const alloc = async (count: number): Promise<[bigint, bigint]> => {
    next += BigInt(count);
    return [next - BigInt(count), next];
  };
  return { alloc, allocOne: async () => (await alloc(1))[0], updateId: () => Promise.resolve() };
}

const showsAll = (): boolean => true;

function randomCall(random: SeededRandom, mq: RocksMq, model: SequentialModel, at: number): Call {
  const c = `c${random.below(3)}`;
  const g = `g${random.below(3)}`;
  const max = 1 + random.below(4);
  const near = model.nextId - BigInt(random.below(12)) + 1n;
  const id = near > 0n ? near : 1n;
  const from = random.below(2) === 0 ? "earliest" : "latest";
  const batch = Array.from({ length: 1 + random.below(4) }, (_, n) => `${at}.${n}`);
  const createChannel: Call = {
    name: `createChannel ${c}`,
    real: () => mq.createChannel(c),
    model: () => model.createChannel(c),
    changes: c,
  };
  const produce: Call = {
    name: `produce ${c} ${batch.join()}`,
    real: async () =>
      (
        await mq.produce(
          c,
          batch.map((text) => message(text)),
        )
      ).firstId,
    model: () => model.produce(c, batch),
    appends: c,
  };
  const consume: Call = {
    name: `consume ${g} ${c} ${max}`,
    real: async () => texts(await mq.consume(g, c, max)),
    model: () => model.consume(g, c, max),
    changes: c,
  };
  const others: Call[] = [
    { name: `destroyChannel ${c}`, real: () => mq.destroyChannel(c), model: () => model.destroyChannel(c), changes: c },
    {
      name: `createGroup ${g} ${from}`,
      real: () => mq.createConsumerGroup(g, { from }),
      model: () => model.createGroup(g, from),
      changes: g,
    },
    { name: `destroyGroup ${g}`, real: () => mq.destroyConsumerGroup(g), model: () => model.destroyGroup(g), changes: g },
    { name: `seek ${g} ${c} ${id}`, real: () => mq.seek(g, c, id), model: () => model.seek(g, c, id), changes: c },
    { name: `latest ${g} ${c}`, real: () => mq.seekToLatest(g, c), model: () => model.seek(g, c, "latest"), changes: c },
    {
      name: `save ${g} ${c} ${id}`,
      real: () => streamQueueOf(mq).saveResumePoints(g, [{ channel: c, nextId: id, position: Buffer.from(`${at}`) }]),
      model: () => model.saveResumePoint(g, c, id, `${at}`),
      changes: c,
    },
    { name: `load ${g} ${c}`, real: () => loading(mq, g, c), model: () => model.loadResumePoint(g, c) },
    { name: `trim ${c} ${id}`, real: () => mq.trim(c, id), model: () => model.trim(c, id), changes: c },
    { name: `latestId ${c}`, real: () => mq.latestId(c), model: () => model.latestId(c) },
    { name: `read ${c}`, real: async () => texts(await readAll(mq, c)), model: () => model.read(c), mayShow: showsAll },
    { name: `describe ${c}`, real: () => describing(mq, c), model: () => model.describe(c), mayShow: showsAll },
    { name: "names", real: () => Promise.all([mq.channels(), mq.consumerGroups()]), model: () => model.names() },
  ];
  const often = [produce, produce, consume, consume, createChannel];
  return often[random.below(2 * often.length)] ?? others[random.below(others.length)] ?? produce;
}

async function describing(mq: RocksMq, channel: string): Promise<unknown> {
  const { endId, messages, groups } = await mq.describeChannel(channel);
  return { endId, messages, groups };
}

async function loading(mq: RocksMq, group: string, channel: string): Promise<unknown> {
  const position = (await streamQueueOf(mq).loadResumePoints(group, [channel])).get(channel);
  return position === undefined ? undefined : Buffer.from(position).toString();
}

async function outcomeOf(call: Promise<unknown>): Promise<Outcome> {
  return call.then(
    (value) => ({ value }),
    (error: unknown) => ({ code: String(Reflect.get(Object(error), "code") ?? error) }),
  );
}

/** Makes and checks random calls on a new queue with `ids: countingAllocator()`; resolves with how many. */
export async function runRandomCalls(mq: RocksMq, random: SeededRandom): Promise<number> {
  const model = new SequentialModel();
  const log: string[] = [];
  let open: { readonly call: Call; readonly outcome: Promise<Outcome>; readonly expected: Outcome }[] = [];
  const settle = async (which: (call: Call) => boolean): Promise<void> => {
    for (const { call, outcome, expected } of open.filter((one) => which(one.call))) {
      expect(await outcome, `${call.name}, in:\n${log.join("\n")}`).toEqual(expected);
    }
    open = open.filter((one) => !which(one.call));
  };
  for (let at = 0; at < callsInOne; at++) {
    const call = randomCall(random, mq, model, at);
    if (call.changes !== undefined || call.appends !== undefined) await settle(({ mayShow }) => mayShow?.(call) ?? false);
    log.push(call.name);
    open.push({ call, outcome: outcomeOf(call.real()), expected: call.model() });
    if (random.below(6) === 0) {
      log.push("-- awaited");
      await settle(() => true);
    }
  }
  await settle(() => true);
  return log.length;
}
