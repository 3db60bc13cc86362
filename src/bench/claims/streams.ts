/**
 * Streams: how fast channels are aligned, and what a stream adds to reading and decoding.
 *
 *     16 channels in memory, messages ready ──▶ TtMsgStream ──▶ packs         messages a second
 *
 *     records of 16 channels ───▶ a loop that decodes                         the ceiling
 *     16 channels of a RocksMq ──▶ a loop that reads and decodes              what nobody can do without
 *                              └─▶ a plain MsgStream                          beside both
 */
import {
  protoUnmarshal,
  type TimeTick,
  type TsMsg,
  timeTickFrom,
  tsMsg,
  type UnmarshalDispatcher,
  unmarshalRecord,
} from "../../message/index.js";
import type { ConsumerMessage, RocksMq } from "../../rocksmq/index.js";
import { memoryMsgStreamFactory, type MsgStream, type MsgStreamFactory, rocksMqMsgStreamFactory } from "../../stream/index.js";
import { type Claim, type Setting, sized } from "../claim.js";
import { Rounds } from "../figure.js";
import { openOn } from "../log-host.js";
import { insertOfOneKiB } from "../one-kib-insert.js";

const channels = Array.from({ length: 16 }, (_, at) => `c${at}`);
/** Messages between two ticks of a channel. */
const messagesATick = 100;

/** Alignment alone, and a stream beside a loop without one. */
export const streams: Claim = {
  name: "streams",
  about: "streams over 16 channels, a tick every 100 messages",
  run: async (setting) => {
    const aligned = new Rounds("TtMsgStream in memory, messages that need no decoding, a second", "per second", {
      better: "more",
      must: 5e5,
      stretch: 1.5e6,
    });
    const overDecoding = new Rounds("plain MsgStream over RocksMQ, inserts of 1 KiB / a loop that decodes them", "ratio", {
      better: "more",
      must: 0.7,
      stretch: 0.9,
    });
    const overReading = new Rounds("the same / a loop that reads and decodes them", "ratio");
    const rounds = sized(setting, { quick: 1, usual: 5 });
    await alignAll(rounds, aligned, setting);
    await setting.scratch.use(async (dir) => {
      const mq = await openOn("thread", { dir });
      try {
        await besideLoops(mq, rounds, { overDecoding, overReading }, setting);
      } finally {
        await mq.close();
      }
    });
    return [aligned, overDecoding, overReading].map((samples) => samples.figure());
  },
};

async function alignAll(rounds: number, aligned: Rounds, setting: Setting): Promise<void> {
  const messages = sized(setting, { quick: 5_000, usual: 20_000 });
  const ready = new ReadyMessages(messages);
  const factory = memoryMsgStreamFactory({ unmarshal: ready });
  try {
    await fill(factory, messages, userMsg);
    for (let round = 1; round <= rounds; round++)
      aligned.add(await consumeAll(await factory.newTtMsgStream(), `${round}`, messages * channels.length, setting));
  } finally {
    await factory.close();
  }
}

interface PlainSamples {
  readonly overDecoding: Rounds;
  readonly overReading: Rounds;
}

async function besideLoops(mq: RocksMq, rounds: number, { overDecoding, overReading }: PlainSamples, setting: Setting): Promise<void> {
  const messages = sized(setting, { quick: 200, usual: 1_000 });
  const factory = rocksMqMsgStreamFactory(mq);
  try {
    await fill(factory, messages, (at) => insertOfOneKiB(tickOf(at)));
    const stored = await recordsOf(mq, setting);
    for (let round = 0; round <= rounds; round++) {
      const decoding = decodeAll(stored, setting);
      const reading = await readAll(mq, stored.length, setting);
      const reached = await consumeAll(await factory.newMsgStream(), `${round}`, stored.length, setting);
      // The first round is for the compiler.
      if (round === 0) continue;
      overDecoding.add(reached / decoding);
      overReading.add(reached / reading);
    }
  } finally {
    await factory.close();
  }
}

async function recordsOf(mq: RocksMq, { signal }: Setting): Promise<ConsumerMessage[]> {
  const records: ConsumerMessage[] = [];
  for (const channel of channels) for await (const batch of mq.read(channel, { from: "earliest", signal })) records.push(...batch);
  return records;
}

/** Messages a second, of records that are in memory. */
function decodeAll(records: readonly ConsumerMessage[], { clock }: Setting): number {
  const dispatcher = protoUnmarshal.newUnmarshalDispatcher();
  const startedAt = clock.monotonicMs();
  for (const record of records) unmarshalRecord(record, dispatcher);
  return (records.length * 1000) / (clock.monotonicMs() - startedAt);
}

/** So many messages into each channel, and their ticks. */
async function fill(factory: MsgStreamFactory, messages: number, make: (at: number) => TsMsg): Promise<void> {
  const producer = await factory.newMsgStream();
  await producer.asProducer(channels);
  for (let at = 0; at < messages; at += messagesATick) {
    const msgs = Array.from({ length: messagesATick }, (_, more) => make(at + more));
    await producer.broadcast({ msgs: [...msgs, tsMsg({ type: "timeTick", timestamp: tickOf(at + messagesATick - 1) })] });
  }
  await producer.close();
}

function userMsg(at: number): TsMsg {
  const payload = new Uint8Array(100);
  new DataView(payload.buffer).setUint32(0, at);
  return tsMsg({ type: "user", timestamp: tickOf(at), payload });
}

function tickOf(at: number): TimeTick {
  return timeTickFrom(BigInt(at + 1));
}

/** Messages a second, from the earliest on. */
async function consumeAll(stream: MsgStream, name: string, messages: number, { clock, signal }: Setting): Promise<number> {
  await stream.asConsumer(channels, name, "earliest");
  const startedAt = clock.monotonicMs();
  for (let got = 0; got < messages;) got += (await stream.consume({ signal }))?.msgs.length ?? 0;
  const rate = (messages * 1000) / (clock.monotonicMs() - startedAt);
  await stream.close();
  return rate;
}

/** The same without a stream: one channel after the other. */
async function readAll(mq: RocksMq, messages: number, { clock, signal }: Setting): Promise<number> {
  const dispatcher = protoUnmarshal.newUnmarshalDispatcher();
  const startedAt = clock.monotonicMs();
  for (const channel of channels)
    for await (const batch of mq.read(channel, { from: "earliest", signal }))
      for (const message of batch) unmarshalRecord(message, dispatcher);
  return (messages * 1000) / (clock.monotonicMs() - startedAt);
}

/** Has every message made already, and looks up which one it is: what is measured then is not protobuf. */
class ReadyMessages implements UnmarshalDispatcher {
  readonly #proto = protoUnmarshal.newUnmarshalDispatcher();
  readonly #msgs: readonly TsMsg[];

  constructor(messages: number) {
    this.#msgs = Array.from({ length: messages }, (_, at) => userMsg(at));
  }

  unmarshal(input: Uint8Array | TsMsg, type: TsMsg["type"]): TsMsg {
    const at = input instanceof Uint8Array && type === "user" ? numberIn(input) : -1;
    return this.#msgs[at] ?? this.#proto.unmarshal(input, type);
  }

  addMsgTemplate(): void {
    throw new Error("these are all the messages there are");
  }
}

/** The number that a payload of `userMsg` begins with, from the end of its protobuf. */
function numberIn(bytes: Uint8Array): number {
  const at = bytes.length - 100;
  return ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
}
