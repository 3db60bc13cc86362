/**
 * `tidemark stream tail`: the packs of many channels, as their ticks cut them; beside a running program too.
 *
 *     pipe        a line of JSON a pack
 *     terminal    a board that is redrawn: watermark, and lag per channel
 */
import { type RocksMq, streamQueueOf } from "../../rocksmq/index.js";
import { type MsgStream, rocksMqMsgStreamFactory } from "../../stream/index.js";
import type { Arguments } from "../arguments.js";
import type { Context } from "../command.js";
import { withQueue } from "../queue-directory.js";
import { Stage } from "../stage.js";
import { LagWatch } from "./lag-watch.js";
import { encodePack } from "./pack-text.js";
import { TailBoard } from "./tail-board.js";

/** See the command. */
export async function tail(args: Arguments, context: Context): Promise<void> {
  const channels = args.operands("channel");
  const from = args.choice("from", ["earliest", "latest"]);
  const alignment = args.choice("alignment", ["watermark", "lockstep"]);
  const idleMs = args.count("idle-ms", Number.MAX_SAFE_INTEGER);
  const max = args.count("max", Number.MAX_SAFE_INTEGER) ?? Infinity;
  await withQueue(args, { to: "read" }, async (mq) => {
    const factory = rocksMqMsgStreamFactory(mq);
    try {
      const stream = await factory.newTtMsgStream({ alignment, idleMs });
      await stream.asConsumer(channels, "tail", from);
      if (context.stdout.isTerminal && !args.flag("json")) await showBoard(mq, stream, channels, max, context);
      else await printPacks(stream, max, context);
    } finally {
      await factory.close();
    }
  });
  context.signal.throwIfAborted();
}

async function printPacks(stream: MsgStream, max: number, { stdout, signal }: Context): Promise<void> {
  for (let packs = 0; packs < max; packs++) {
    const pack = await stream.consume({ signal });
    if (pack === undefined) return;
    await stdout.write(`${encodePack(pack)}\n`, { signal });
  }
}

async function showBoard(mq: RocksMq, stream: MsgStream, channels: readonly string[], max: number, context: Context): Promise<void> {
  const { stdout, clock, signal } = context;
  const board = new TailBoard(channels);
  // A redrawn line leaves the last column free.
  const lines = (): string[] => board.lines(clock.nowMs(), stdout.columns - 1);
  const watch = new LagWatch(streamQueueOf(mq), board, channels, clock);
  try {
    await new Stage(stdout, clock).during(takePacks(stream, board, max, signal), lines);
  } finally {
    await watch.close();
    // What was redrawn is gone; the last of it stays.
    await stdout.lines(lines());
  }
}

async function takePacks(stream: MsgStream, board: TailBoard, max: number, signal: AbortSignal): Promise<void> {
  for (let packs = 0; packs < max; packs++) {
    const pack = await stream.consume({ signal });
    if (pack === undefined) return;
    board.took(pack);
  }
}
