/**
 * Channels written in short, and packs in short: what the tests of streams are written in.
 */
import { type MsgPack, type MsgPosition, type TimeTick, timeTickFrom, tsMsg, type TsMsg } from "../../src/message/index.js";
import type { MsgStream, MsgStreamFactory } from "../../src/stream/index.js";

/** Writes to the channels of a factory. */
export class Logs {
  readonly #factory: MsgStreamFactory;
  readonly #producers = new Map<string, MsgStream>();

  constructor(factory: MsgStreamFactory) {
    this.#factory = factory;
  }

  /** `T10` is a tick, `a@12` a message called a at 12. Resolves once they are durable. */
  async write(channel: string, text: string): Promise<void> {
    const msgs = text.trim().split(/\s+/).map(parseMsg);
    const producer = this.#producers.get(channel) ?? (await this.#factory.newMsgStream());
    if (!this.#producers.has(channel)) await producer.asProducer([channel]);
    this.#producers.set(channel, producer);
    await producer.broadcast({ msgs });
  }
}

/** The message of a word. */
export function parseMsg(word: string): TsMsg {
  const tick = /^T(\d+)$/.exec(word)?.[1];
  if (tick !== undefined) return tsMsg({ type: "timeTick", timestamp: at(tick), hashKeys: [0] });
  const [, name = "", ts = ""] = /^(\w+)@(\d+)$/.exec(word) ?? [];
  return tsMsg({ type: "user", timestamp: at(ts), payload: Buffer.from(name), hashKeys: [0] });
}

/** A tick of a small number. */
export function at(tick: number | string): TimeTick {
  return timeTickFrom(BigInt(tick));
}

/** `(0,10] a b!`: span, messages, `!` behind what is late. */
export function show(pack: MsgPack | undefined): string {
  if (pack === undefined) return "end";
  return [`(${pack.beginTs},${pack.endTs}]`, ...pack.msgs.map(nameOf)].join(" ");
}

/** As it was written, with `!` if it is late. */
export function nameOf(msg: TsMsg): string {
  const name =
    msg.type === "user" ? Buffer.from(msg.body.payload).toString() : msg.type === "timeTick" ? `T${msg.endTs}` : `${msg.type}#${msg.id}`;
  return `${name}${msg.late === true ? "!" : ""}`;
}

/** The next packs in short. */
export async function take(stream: MsgStream, packs: number): Promise<string[]> {
  const shown: string[] = [];
  while (shown.length < packs) shown.push(show(await stream.consume()));
  return shown;
}

/** The names of the next messages, whatever packs they come in. */
export async function takeMessages(stream: MsgStream, messages: number): Promise<string[]> {
  const names: string[] = [];
  while (names.length < messages) names.push(...((await stream.consume())?.msgs ?? []).map(nameOf));
  return names;
}

/** Whether nothing comes, after everything that could have come had its time. */
export async function nothingComes(stream: MsgStream): Promise<boolean> {
  const giveUp = new AbortController();
  const next = stream.consume({ signal: giveUp.signal });
  await nothingElse();
  giveUp.abort(new Error("nothing came"));
  return next.then(
    () => false,
    () => true,
  );
}

/** Lets everything happen that waits neither for a clock nor for a disk. */
export async function nothingElse(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** A place of a channel. */
export function positionOf(pack: MsgPack | undefined, channel: string, end: "start" | "end" = "end"): MsgPosition {
  const positions = end === "end" ? pack?.endPositions : pack?.startPositions;
  const position = positions?.find(({ channelName }) => channelName === channel);
  if (position === undefined) throw new Error(`the pack has no ${end} in ${channel}`);
  return position;
}
