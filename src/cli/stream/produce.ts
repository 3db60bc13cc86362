/**
 * `tidemark stream produce`: a file or a pipe becomes messages of a stream, spread over channels, each batch with a tick behind it.
 *
 *     batch ─▶ begin on every channel ─▶ its messages, by their keys ─▶ durable ─▶ done ─▶ a tick on every channel
 */
import { openInput } from "../input.js";
import { hashString, physicalMs, type TimeTick, tsMsg, type TsMsg } from "../../message/index.js";
import { openTicker, type MsgStream, rocksMqMsgStreamFactory, type Ticker } from "../../stream/index.js";
import type { ProducerMessage, RocksMq } from "../../rocksmq/index.js";
import type { Arguments } from "../arguments.js";
import type { Context } from "../command.js";
import { Failure, sentenceOf } from "../failure.js";
import { counted, time } from "../figures.js";
import { json } from "../json.js";
import { readMessages } from "../message-input.js";
import { withQueue } from "../queue-directory.js";
import { latestTick, RisingTicks } from "./rising-ticks.js";

/** Ticks are written behind each batch; the ticker's own would only add packs that hold nothing. */
const ownTicksEveryMs = 3_600_000;

/** See the command. */
export async function produce(args: Arguments, context: Context): Promise<void> {
  const format = args.choice("format", ["lines", "ndjson"]);
  const batch = args.count("batch", 100_000) ?? 1000;
  const channels = args.operands("channel");
  const file = args.text("file") ?? "-";
  await withQueue(args, { to: "create" }, (mq) =>
    withStream(mq, channels, context, async (stream, ticker) => {
      const { input, source } = await openInput(file, context);
      const spread = new Spread(stream, ticker, channels, args.text("key"));
      await produceAll(spread, readMessages(input, { format, batch, source }), () => void input.destroy(), context);
      await context.stdout.lines([args.flag("json") ? json(spread.acked()) : ackLine(spread)]);
    }),
  );
}

async function withStream(
  mq: RocksMq,
  channels: readonly string[],
  { clock }: Context,
  use: (stream: MsgStream, ticker: Ticker) => Promise<void>,
): Promise<void> {
  const factory = rocksMqMsgStreamFactory(mq);
  try {
    const stream = await factory.newMsgStream();
    await stream.asProducer(channels);
    const ticks = new RisingTicks(clock, await latestTick(mq, channels));
    const ticker = await openTicker({ factory, channels, now: async () => ticks.next(), intervalMs: ownTicksEveryMs });
    try {
      await use(stream, ticker);
    } finally {
      await ticker.close();
    }
  } finally {
    await factory.close();
  }
}

/** Batches on their way into the channels. */
class Spread {
  readonly #stream: MsgStream;
  readonly #ticker: Ticker;
  readonly #channels: readonly string[];
  readonly #key: string | undefined;
  readonly #counts: Map<string, number>;
  #tick: TimeTick | undefined;

  constructor(stream: MsgStream, ticker: Ticker, channels: readonly string[], key: string | undefined) {
    this.#stream = stream;
    this.#ticker = ticker;
    this.#channels = channels;
    this.#key = key;
    this.#counts = new Map(channels.map((channel) => [channel, 0]));
  }

  get messages(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** What is safe. */
  acked(): { messages: number; channels: Record<string, number>; endTs: TimeTick | undefined; watermark: string | undefined } {
    const endTs = this.#tick;
    const watermark = endTs === undefined ? undefined : time(physicalMs(endTs));
    return { messages: this.messages, channels: Object.fromEntries(this.#counts), endTs, watermark };
  }

  /** Resolves once the batch is durable with a tick behind it, on channels that got nothing too: a stream waits for all. */
  async write(batch: readonly ProducerMessage[]): Promise<void> {
    const begun = await Promise.all(this.#channels.map((channel) => this.#ticker.begin(channel)));
    try {
      const written = await this.#stream.produce({ msgs: batch.map((message) => this.#msg(message, begun)) });
      for (const [channel, ids] of written) this.#counts.set(channel, (this.#counts.get(channel) ?? 0) + ids.length);
    } finally {
      for (const work of begun) work.done();
    }
    for (const tick of (await this.#ticker.tick()).values()) this.#tick = tick;
  }

  #msg({ payload, properties }: ProducerMessage, begun: readonly { readonly timestamp: TimeTick }[]): TsMsg {
    const hash = hashString(this.#keyOf(payload, properties));
    const timestamp = begun[hash % begun.length]?.timestamp;
    if (timestamp === undefined) throw new Error(`there is no channel for the hash ${hash}`);
    return tsMsg({ type: "user", timestamp, hashKeys: [hash], payload, properties });
  }

  #keyOf(payload: Uint8Array, properties: ProducerMessage["properties"]): string {
    if (this.#key === undefined) return Buffer.from(payload).toString("latin1");
    const value = properties?.[this.#key];
    if (value === undefined) throw new Failure(`a message has no property "${this.#key}" to choose its channel by`);
    return value;
  }
}

async function produceAll(
  spread: Spread,
  batches: AsyncIterable<readonly ProducerMessage[]>,
  stop: () => void,
  { signal, stderr }: Context,
): Promise<void> {
  // Wakes whoever waits for the next chunk, too.
  signal.addEventListener("abort", stop, { once: true });
  try {
    signal.throwIfAborted();
    for await (const batch of batches) {
      await spread.write(batch);
      signal.throwIfAborted();
    }
    signal.throwIfAborted();
  } catch (error) {
    if (!signal.aborted)
      throw spread.messages === 0 ? error : new Failure(`${sentenceOf(error)} (before that, ${ackLine(spread)})`, { cause: error });
    await stderr.lines([`interrupted: ${ackLine(spread)}`]);
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}

function ackLine(spread: Spread): string {
  const { messages, channels, watermark } = spread.acked();
  const each = Object.entries(channels).map(([channel, count]) => `${channel} ${count}`);
  const upTo = watermark === undefined ? "" : `, complete up to ${watermark}`;
  return `acked ${counted(messages, "message")} (${each.join(", ")})${upTo}`;
}
