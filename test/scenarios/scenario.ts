/**
 * Reads and runs scenarios of the aligner, which are texts that a person reads as an example:
 *
 *     c1: T10 a2@12 a3@18 T20          what the log of a channel holds; a name is the channel's letter and the place in its log, a tick's too
 *     > watermark c1                   opens a stream over channels, from the earliest
 *       (0,10]  | c1(a1,10)            a pack: its span, its messages, `!` after a late one; behind the bar where it ends in each channel
 *       (10,20] a2 a3 | c1(a4,20)
 *     > watermark c1(a1,15)            opens one at a checkpoint: (first record to read, timestamp), or (first..last that had been read, timestamp)
 *     # …                              said to the reader
 *
 * More commands: `add c2` or `add c2(b1,10)`, `silent c2` (leave it out), `time 60001` (milliseconds), and further lines of a log, which arrive only then.
 * Words behind the channels: `starts` shows where packs start too; `dedupe=off`, `dedupe=on`; `pursuit=LAG/BYTES/TIME`.
 * A message is `a2@12`, or `a2@12=insert#7` for another type and id; `x` is a record that does not decode.
 */
import { int64MessageId, int64Of, type MessageId, type MsgPosition, timeTickFrom, tsMsg, type TsMsg } from "../../src/message/index.js";
import type { Aligner, CutPack } from "../../src/stream/align/aligner.js";
import { LockstepAligner } from "../../src/stream/align/lockstep-aligner.js";
import { beforeAllIds, zeroTick } from "../../src/stream/align/place.js";
import { WatermarkAligner } from "../../src/stream/align/watermark-aligner.js";
import type { StreamRecord } from "../../src/stream/stream-record.js";

/** The text with the packs that really come out in place of those it promises. */
export function rerun(text: string): string {
  const run = new ScenarioRun();
  const lines = text.split("\n").filter((line) => !line.startsWith("  "));
  return lines.flatMap((line) => [line, ...run.line(line).map((pack) => `  ${pack}`)]).join("\n");
}

interface Opened {
  readonly aligner: Aligner;
  readonly starts: boolean;
  /** The next place in the log, by channel. */
  readonly next: Map<string, number>;
}

class ScenarioRun {
  readonly #logs = new Map<string, StreamRecord[]>();
  #opened: Opened | undefined;
  /** Far from all ticks of scenarios, which are small numbers: all are long past. */
  #nowMs = 1_000_000;

  /** The packs that come out. */
  line(line: string): string[] {
    const [, channel, records] = /^(c\d+): (.*)$/.exec(line) ?? [];
    if (channel !== undefined && records !== undefined) this.#append(channel, records.trim().split(/\s+/));
    else if (line.startsWith("> "))
      return this.#command(
        line
          .slice(2)
          .trim()
          .split(/\s+(?![^(]*\))/),
      );
    else if (line === "" || line.startsWith("#")) return [];
    else throw new Error(`what is this: ${line}`);
    return this.#opened === undefined ? [] : this.#drain(this.#opened);
  }

  #append(channel: string, records: readonly string[]): void {
    const log = this.#logs.get(channel) ?? [];
    this.#logs.set(channel, log);
    for (const record of records) log.push(parseRecord(channel, log.length + 1, record));
  }

  #command([word = "", ...rest]: readonly string[]): string[] {
    switch (word) {
      case "lockstep":
      case "watermark":
        this.#opened = open(word, rest);
        return this.#drain(this.#opened);
      case "add":
        add(this.#stream(), rest[0] ?? "");
        return this.#drain(this.#stream());
      case "silent":
        return [...this.#shown(this.#stream().aligner.leaveOut(rest[0] ?? "")), ...this.#drain(this.#stream())];
      case "time":
        this.#nowMs += Number(rest[0]);
        return [...this.#shown(this.#stream().aligner.passTime(this.#nowMs)), ...this.#drain(this.#stream())];
      default:
        throw new Error(`what is this command: ${word}`);
    }
  }

  #stream(): Opened {
    if (this.#opened === undefined) throw new Error("open a stream first");
    return this.#opened;
  }

  /** Everything that the aligner wants and the logs have, in the order of the channels' names. */
  #drain({ aligner, next }: Opened): string[] {
    const packs: string[] = [];
    for (let took = true; took;) {
      took = false;
      for (const [channel, at] of next) {
        const record = this.#logs.get(channel)?.[at - 1];
        if (record === undefined || !aligner.wants(channel)) continue;
        next.set(channel, at + 1);
        packs.push(...this.#shown(aligner.take(channel, record, this.#nowMs)));
        took = true;
      }
    }
    return packs;
  }

  #shown(cut: CutPack | undefined): string[] {
    if (cut === undefined) return [];
    const { beginTs, endTs, msgs, startPositions, endPositions } = cut.pack;
    const start = this.#stream().starts ? [` | from ${startPositions.map(showPosition).join(" ")}`] : [];
    const words = [`(${beginTs},${endTs}]`, ...msgs.map(showMessage), "|", ...endPositions.map(showPosition)];
    return [words.join(" ") + start.join("")];
  }
}

function open(alignment: "lockstep" | "watermark", words: readonly string[]): Opened {
  const option = (name: string): string | undefined => words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
  const [lagMs = 0, bytes = 0, timeMs = 0] = (option("pursuit") ?? "").split("/").map(Number);
  const dedupe = (option("dedupe") ?? (alignment === "lockstep" ? "on" : "off")) === "on";
  const options = { dedupe, beforeAll };
  const pursuit = option("pursuit") === undefined ? undefined : { lagMs, bytes, timeMs };
  const aligner = alignment === "watermark" ? new WatermarkAligner(options) : new LockstepAligner(options, pursuit);
  const opened = { aligner, starts: words.includes("starts"), next: new Map<string, number>() };
  for (const word of words) if (/^c\d/.test(word)) add(opened, word);
  return opened;
}

const beforeAll = beforeAllIds("memory");

function add({ aligner, next }: Opened, word: string): void {
  const [, channelName = "", first, last, timestamp] = /^(c\d+)(?:\((\w*|-)(?:\.\.(\w+|-))?,\s*(\d+)\))?$/.exec(word) ?? [];
  if (channelName === "") throw new Error(`what is this channel: ${word}`);
  const msgId = first === undefined || first === "-" ? undefined : idAt(first);
  const readMsgId = last === undefined ? undefined : last === "-" ? beforeAll : idAt(last);
  const position = { channelName, msgGroup: "s", msgId, timestamp: timestamp === undefined ? zeroTick : timeTickFrom(BigInt(timestamp)) };
  aligner.add(readMsgId === undefined ? position : { ...position, readMsgId });
  next.set(channelName, msgId === undefined ? 1 : Number(int64Of(msgId)));
}

function parseRecord(channel: string, place: number, text: string): StreamRecord {
  const id = int64MessageId("memory", BigInt(place));
  if (text === "x") return { id, msg: undefined, bytes: 1 };
  const tick = /^T(\d+)$/.exec(text)?.[1];
  if (tick !== undefined) return { id, msg: tsMsg({ type: "timeTick", timestamp: timeTickFrom(BigInt(tick)) }), bytes: 1 };
  const [, name = "", ts = "", type = "user", given = "0"] = /^(\w+)@(\d+)(?:=(\w+)#(\d+))?$/.exec(text) ?? [];
  if (name !== nameOf(channel, place))
    throw new Error(`${text} is the ${place}th record of ${channel}, so it is ${nameOf(channel, place)}`);
  if (type !== "user" && type !== "insert" && type !== "createCollection" && type !== "dropCollection")
    throw new Error(`no such type: ${type}`);
  const msg: TsMsg = tsMsg({ type, timestamp: timeTickFrom(BigInt(ts)), id: BigInt(given) });
  const position: MsgPosition = { channelName: channel, msgId: id, msgGroup: "s", timestamp: msg.beginTs };
  return { id, msg: { ...msg, position }, bytes: 1 };
}

/** c1's records are a1, a2, …, c2's are b1, … */
function nameOf(channel: string, place: number | bigint): string {
  return `${String.fromCharCode(96 + Number(channel.slice(1)))}${place}`;
}

function idAt(name: string): MessageId {
  return int64MessageId("memory", BigInt(name.slice(1)));
}

function showMessage({ position, late }: TsMsg): string {
  return `${showId(position?.channelName ?? "", position?.msgId)}${late === true ? "!" : ""}`;
}

function showPosition({ channelName, msgId, timestamp, readMsgId }: MsgPosition): string {
  const read = readMsgId === undefined || (msgId !== undefined && readMsgId.equals(msgId)) ? "" : `..${showId(channelName, readMsgId)}`;
  return `${channelName}(${showId(channelName, msgId)}${read},${timestamp})`;
}

function showId(channel: string, id: MessageId | undefined): string {
  return id === undefined || id.equals(beforeAll) ? "-" : nameOf(channel, int64Of(id));
}
