/**
 * A channel as the database has it; readers see it as a `ChannelView`.
 */
import { TidemarkError } from "../../base/errors.js";
import type { ChannelView } from "../engine.js";
import { bytesFrom, type Pages } from "./pages.js";

/** What is known of a channel at one moment. */
export interface ChannelFacts {
  readonly beginId: bigint;
  readonly endId: bigint;
  /** Last id given out, in vain too. Never above `ceiling` but with outside ids. */
  readonly lastId: bigint;
  /** No id above it is visible before a higher one is synced. */
  readonly ceiling: bigint;
  readonly pages: Pages;
}

/** The one mutable record of a channel; it moves when a group is stored. */
export class RocksDbChannel implements ChannelView {
  readonly name: string;
  readonly firstId: bigint;
  #facts: ChannelFacts;
  /** Rows below are deleted; those from here to the first page are still to go. */
  sweptId: bigint;
  /** The ceiling that is known synced. */
  durableCeiling: bigint;
  destroyed = false;

  constructor(name: string, firstId: bigint, facts: ChannelFacts, sweptId = firstId) {
    this.name = name;
    this.firstId = firstId;
    this.#facts = facts;
    this.sweptId = sweptId;
    this.durableCeiling = facts.ceiling;
  }

  get facts(): ChannelFacts {
    return this.#facts;
  }

  get beginId(): bigint {
    return this.#facts.beginId;
  }

  get endId(): bigint {
    return this.#facts.endId;
  }

  get lastId(): bigint {
    return this.#facts.lastId;
  }

  get sinceMs(): number | undefined {
    return this.#facts.pages[0]?.firstTimeMs;
  }

  get bytes(): number {
    return this.destroyed ? 0 : bytesFrom(this.#facts.pages, this.#facts.beginId);
  }

  follow(facts: ChannelFacts): void {
    this.#facts = facts;
  }

  /** Rows that no reader asks for any more: those below the first page. */
  get sweepable(): { readonly fromId: bigint; readonly toId: bigint } | undefined {
    const toId = this.#facts.pages[0]?.firstId ?? this.#facts.endId;
    return toId > this.sweptId ? { fromId: this.sweptId, toId } : undefined;
  }
}

/** The record behind a view. @throws `invalid-argument` when it is another store's */
export function ownChannel(channel: ChannelView): RocksDbChannel {
  if (channel instanceof RocksDbChannel) return channel;
  throw new TidemarkError("invalid-argument", `channel ${channel.name} is of another store`, { argument: "channel" });
}
