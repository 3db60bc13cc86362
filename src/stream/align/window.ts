/**
 * What all channels have between two ticks, before it is a pack.
 */
import type { MsgPack, MsgPosition, TimeTick, TsMsg } from "../../message/index.js";
import type { CutPack } from "./aligner.js";
import { withoutRepeats } from "./dedupe.js";
import type { Released } from "./held-records.js";

/** A pack on its way, before what repeats itself is left out. */
export interface Window extends MsgPack {
  /** Of its messages. */
  readonly bytes: number;
  /** Late messages by channel. */
  readonly late: ReadonlyMap<string, number>;
}

/** A channel, as far as a window takes from it. */
export interface WindowChannel {
  readonly position: MsgPosition;
  /** What it has up to `endTs`. Behind it, `position` is where the window ends. */
  release(lastTs: TimeTick, endTs: TimeTick): Released;
}

/** Takes out of all channels what they have up to `endTs`. @param startOf where the window starts in a channel, asked before anything is taken out of it */
export function releaseWindow<C extends WindowChannel>(
  channels: ReadonlyMap<string, C>,
  { beginTs, lastTs, endTs }: { readonly beginTs: TimeTick; readonly lastTs: TimeTick; readonly endTs: TimeTick },
  startOf: (channel: C) => MsgPosition,
): Window {
  const msgs: TsMsg[] = [];
  const startPositions: MsgPosition[] = [];
  const endPositions: MsgPosition[] = [];
  const late = new Map<string, number>();
  let bytes = 0;
  for (const [name, channel] of channels) {
    startPositions.push(startOf(channel));
    const released = channel.release(lastTs, endTs);
    for (const msg of released.msgs) msgs.push(msg);
    bytes += released.bytes;
    if (released.late > 0) late.set(name, released.late);
    endPositions.push(channel.position);
  }
  return { beginTs, endTs, msgs, startPositions, endPositions, bytes, late };
}

/** The pack of a window. */
export function packOf({ bytes, late, ...pack }: Window, { dedupe }: { readonly dedupe: boolean }): CutPack {
  return { pack: dedupe ? { ...pack, msgs: withoutRepeats(pack.msgs) } : pack, bytes, late };
}
