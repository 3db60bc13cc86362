/**
 * The draft of one turn, and the steps that make it visible.
 */
import { beginBehind } from "../draft-rules.js";
import type { EngineEvent, NewMessage } from "../engine.js";
import type { MetaMap, MetaRecord } from "../meta-map.js";
import { lastBelow } from "../stretches.js";
import { type AppendedIds, type DraftedIds, TurnDraft } from "../turn-draft.js";
import { MemoryChannel } from "./memory-channel.js";
import { type MemoryBatch, storedBatch } from "./stored-batch.js";

/** What readers may see, and what the next turn goes on from. */
export interface MemoryState {
  readonly channels: Map<string, MemoryChannel>;
  readonly meta: MetaMap;
  /** Channels made from now on begin above it. */
  floor: bigint;
  /** The time of the last turn; the next one's is no earlier. */
  timeMs: number;
}

/** Moves the state by one thing drafted. */
type Step = (state: MemoryState) => EngineEvent | undefined;

interface DraftedChannel extends DraftedIds {
  /** What was appended in this turn. */
  readonly added: MemoryBatch[];
  /** What readers see of it, once it is visible. */
  readonly visible: MemoryChannel;
}

/** See `TurnDraft`. */
export class MemoryDraft extends TurnDraft<MemoryChannel, DraftedChannel> {
  readonly #steps: Step[] = [];

  get steps(): readonly Step[] {
    return this.#steps;
  }

  protected override draftOf(visible: MemoryChannel): DraftedChannel {
    const { name, firstId, beginId, endId, lastId } = visible;
    return { name, firstId, beginId, endId, lastId, ceiling: this.#ceiling(firstId), added: [], visible };
  }

  protected override made(ids: DraftedIds): DraftedChannel {
    const { name, firstId } = ids;
    const visible = new MemoryChannel(name, firstId);
    this.#steps.push(({ channels }) => {
      channels.set(name, visible);
      return undefined;
    });
    return { ...ids, ceiling: this.#ceiling(firstId), added: [], visible };
  }

  protected override gone({ name, visible }: DraftedChannel): void {
    const { floor } = this;
    this.#steps.push((state) => {
      state.channels.delete(name);
      state.floor = floor;
      visible.destroy();
      return { type: "destroyed", channel: visible };
    });
  }

  protected override add({ added, visible }: DraftedChannel, messages: readonly NewMessage[], { firstId }: AppendedIds): void {
    const batch = storedBatch(messages, firstId, this.nowMs);
    added.push(batch);
    this.#steps.push(() => {
      visible.append(batch);
      return { type: "appended", channel: visible };
    });
  }

  protected override beginOnceTrimmed({ added, visible, beginId }: DraftedChannel, id: bigint): bigint {
    return beginBehind(lastBelow(added, id) ?? visible.lastBelow(id), beginId);
  }

  protected override cut({ visible }: DraftedChannel, beginId: bigint): void {
    this.#steps.push(() => {
      const bytes = visible.trim(beginId);
      return { type: "trimmed", channel: visible, beginId, bytes };
    });
  }

  protected override record(record: MetaRecord): void {
    this.#steps.push(({ meta }) => {
      meta.apply(record);
      return undefined;
    });
  }

  /** No crash loses ids here. But another channel of that name is told from this by where it begins, also if this had no message. */
  #ceiling(firstId: bigint): bigint {
    return this.ids === "internal" ? firstId : firstId - 1n;
  }
}
