/**
 * What a group's listeners are told, gathered while the state moves.
 */
import type { EngineEvent } from "../engine.js";
import type { ChannelState } from "./channel-state.js";
import type { ControlRecord } from "./control-record.js";
import type { LogState } from "./log-state.js";

/** The events of one group, in the order of its records, then one for each channel that got messages. */
export class GroupEvents {
  readonly #events: EngineEvent[] = [];
  readonly #appended = new Set<ChannelState>();

  /** Lets `apply` take over a record, and notes what that means for readers. */
  around(state: LogState, record: ControlRecord, apply: () => void): void {
    const channel = record.type === "trim" || record.type === "destroy" ? state.channelByNumber(record.channel) : undefined;
    const before = { beginId: channel?.beginId, bytes: channel?.bytes ?? 0 };
    apply();
    if (channel === undefined) return;
    const { beginId, bytes } = channel;
    if (record.type === "destroy") this.#events.push({ type: "destroyed", channel });
    else if (beginId !== before.beginId) this.#events.push({ type: "trimmed", channel, beginId, bytes: before.bytes - bytes });
  }

  appended(channel: ChannelState): void {
    this.#appended.add(channel);
  }

  all(): EngineEvent[] {
    return [...this.#events, ...[...this.#appended].map((channel) => ({ type: "appended", channel }) as const)];
  }
}
