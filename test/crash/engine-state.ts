/**
 * What an engine shows to whoever opens it.
 */
import type { ChannelView, Engine, StoredMessage } from "../../src/storage/index.js";
import { channelOf, type FoundChannel, type StoreState } from "./store-state.js";

/** Reads everything, and finds fault with what can't be right in itself. */
export async function readEngine(engine: Engine): Promise<StoreState> {
  const channels = new Map<string, FoundChannel>();
  for (const view of engine.channels()) channels.set(view.name, await readChannel(engine, view));
  const keys = new Map(engine.meta.range("").map((entry) => [entry.key, Buffer.from(entry.value).toString("utf8")]));
  return { channels, keys };
}

async function readChannel(engine: Engine, view: ChannelView): Promise<FoundChannel> {
  const { name, beginId, endId } = view;
  const reader = engine.reader(view);
  const read: StoredMessage[] = [];
  for (let from = beginId; ;) {
    const batch = await reader.read(from, 7, 1500);
    if (batch.length === 0) break;
    read.push(...batch);
    from = (batch.at(-1)?.id ?? from) + 1n;
  }
  return channelOf({ name, beginId, endId, messages: await engine.countFrom(view, beginId) }, read);
}
