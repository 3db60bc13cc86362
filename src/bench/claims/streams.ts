/**
 * Streams: how fast channels are aligned, and what a stream adds to reading and decoding.
 *
 *     16 channels in memory, messages ready ──▶ TtMsgStream ──▶ packs         messages a second
 *
 *     16 channels of a RocksMq ──▶ a loop that reads and decodes              the ceiling
 *                              └─▶ a plain MsgStream                          beside it
 */
import { protoUnmarshal, type TsMsg, timeTickFrom, tsMsg, type UnmarshalDispatcher, unmarshalRecord } from "../../message/index.js";
import type { RocksMq } from "../../rocksmq/index.js";
import { memoryMsgStreamFactory, type MsgStream, type MsgStreamFactory, rocksMqMsgStreamFactory } from "../../stream/index.js";
import { type Claim, type Setting, sized } from "../claim.js";
import { Rounds } from "../figure.js";
import { openOn } from "../log-host.js";

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
    const plain = new Rounds("plain MsgStream over RocksMQ / a loop that reads and decodes the same", "ratio", {
      better: "more",
      must: 0.7,
      stretch: 0.9,
    });
    const rounds = sized(setting, { quick: 1, usual: 5 });
    await alignAll(rounds, aligned, setting);
    await setting.scratch.use(async (dir) => {
      const mq = await openOn("thread", { dir });
      try {
        await besideALoop(mq, rounds, plain, setting);
      } finally {
        await mq.close();
      }
    });
    return [aligned.figure(), plain.figure()];
  },
};

async function alignAll(rounds: number, aligned: Rounds, setting: Setting): Promise<void> {
  const messages = sized(setting, { quick: 5_000, usual: 20_000 });
  const ready = new ReadyMessages(messages);
  const factory = memoryMsgStreamFactory({ unmarshal: ready });
  try {
    await fill(factory, messages);
    for (let round = 1; round <= rounds; round++)
      aligned.add(await consumeAll(await factory.newTtMsgStream(), `${round}`, messages * channels.length, setting));
  } finally {
    await factory.close();
  }
}

async function besideALoop(mq: RocksMq, rounds: number, plain: Rounds, setting: Setting): Promise<void> {
  const messages = sized(setting, { quick: 2_000, usual: 10_000 });
  const factory = rocksMqMsgStreamFactory(mq);
  try {
    await fill(factory, messages);
    const stored = (messages + messages / messagesATick) * channels.length;
    for (let round = 0; round <= rounds; round++) {
      const ceiling = await readAll(mq, stored, setting);
      const reached = await consumeAll(await factory.newMsgStream(), `${round}`, stored, setting);
      // The first round is for the compiler.
      if (round > 0) plain.add(reached / ceiling);
    }
  } finally {
    await factory.close();
  }
}

/** So many messages into each channel, and their ticks. */
async function fill(factory: MsgStreamFactory, messages: number): Promise<void> {
  const producer = await factory.newMsgStream();
  await producer.asProducer(channels);
  for (let at = 0; at < messages; at += messagesATick) {
    const msgs = Array.from({ length: messagesATick }, (_, more) => userMsg(at + more));
    await producer.broadcast({ msgs: [...msgs, tsMsg({ type: "timeTick", timestamp: timeTickFrom(BigInt(at + messagesATick)) })] });
  }
  await producer.close();
}

function userMsg(at: number): TsMsg {
  const payload = new Uint8Array(100);
  new DataView(payload.buffer).setUint32(0, at);
  return tsMsg({ type: "user", timestamp: timeTickFrom(BigInt(at + 1)), payload });
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
