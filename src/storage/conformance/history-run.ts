/**
 * Runs one history against an engine and, in the turns of its changes, against the model.
 */
import assert from "node:assert/strict";
import { isTidemarkError } from "../../base/errors.js";
import type { ChannelView, Draft, StoredMessage } from "../engine.js";
import { type Action, HistoryModel, type ModelChannel, type ModelMessage, visiblePicture } from "./history-model.js";
import { type TestStore, message, textOf } from "./test-store.js";

/** One step of a history. Only "settle" and "reopen" wait for the writes before them. */
export type Step =
  | { readonly step: "write"; readonly actions: readonly Action[]; readonly ack: "durable" | "written"; readonly abort: boolean }
  | { readonly step: "settle" }
  | { readonly step: "turn" }
  | {
      readonly step: "read";
      readonly name: string;
      readonly old: boolean;
      readonly ahead: number;
      readonly max: number;
      readonly maxBytes: number;
      readonly wait: boolean;
    }
  | { readonly step: "clock"; readonly ms: number }
  /** What an engine does by itself when it is left alone for a while. */
  | { readonly step: "wait" }
  | { readonly step: "reopen" };

/** A history under way. */
export class HistoryRun {
  readonly #store: TestStore;
  readonly #ids: "internal" | "external";
  #model = new HistoryModel();
  /** The states after each change, from the beginning. */
  readonly #pictures: string[];
  /** Index of the picture that readers saw last, or that was acked: they may not see an earlier one. */
  #seen = 0;
  /** Calls of `write` so far. */
  #calls = 0;
  /** The latest run of each change, in call order, with what there was before it. */
  readonly #runs: { readonly call: number; readonly model: HistoryModel; readonly pictures: number }[] = [];
  /** Every life of every channel, as the latest model has or had it. */
  readonly #lives = new Map<string, ModelChannel>();
  #reopenings = 0;
  /** A change ran that was aborted while it waited; its promise can't say so. */
  #ranAborted = false;
  /** The first view that this opening showed of each name. */
  readonly #oldViews = new Map<string, ChannelView>();
  /** Writes and reads that nobody has waited for yet, and what went wrong with them. */
  readonly #underWay: Promise<{ readonly error: unknown } | undefined>[] = [];

  constructor(store: TestStore, ids: "internal" | "external") {
    this.#store = store;
    this.#ids = ids;
    this.#pictures = [this.#model.picture()];
  }

  async take(step: Step): Promise<void> {
    switch (step.step) {
      case "write":
        this.#goOnWith(this.#write(step));
        break;
      case "settle":
        await this.settle();
        break;
      case "turn":
        await new Promise((resolve) => setImmediate(resolve));
        break;
      case "read":
        this.#goOnWith(this.#read(step));
        if (step.wait) await this.#waitForAll();
        break;
      case "clock":
        this.#store.clock.setNowMs(this.#store.clock.nowMs() + step.ms);
        break;
      case "wait":
        await this.#store.clock.advance(2500);
        break;
      case "reopen":
        this.#reopenings++;
        this.#oldViews.clear();
        await this.#store.reopen();
        await this.settle();
        break;
    }
    this.#look();
  }

  /** Waits for all writes, and compares everything. */
  async settle(): Promise<void> {
    await this.#waitForAll();
    assert(!this.#ranAborted, "a change ran though it was aborted while it waited");
    assert.equal(visiblePicture(this.#store.engine), this.#model.picture());
    for (const channel of this.#model.channels.values()) await this.#compare(channel);
  }

  /** What went wrong meanwhile is thrown when it is waited for. */
  #goOnWith(call: Promise<void>): void {
    const outcome = call.then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    this.#underWay.push(outcome);
  }

  async #waitForAll(): Promise<void> {
    for (const failure of await Promise.all(this.#underWay.splice(0))) if (failure !== undefined) throw failure.error;
  }

  async #write({ actions, ack, abort }: Step & { readonly step: "write" }): Promise<void> {
    const giveUp = new AbortController();
    const call = ++this.#calls;
    const change = (draft: Draft): number => {
      if (abort) this.#ranAborted = true;
      this.#beginRun(call);
      this.#draftAll(draft, actions);
      return this.#pictures.push(this.#model.picture()) - 1;
    };
    // Only metadata may be written with the lesser ack.
    const lesser = ack === "written" && actions.every((action) => !("name" in action));
    const written = this.#store.write(change, { signal: giveUp.signal, ack: lesser ? "written" : "durable" });
    if (abort) giveUp.abort(new Refused());

    try {
      this.#seen = Math.max(this.#seen, await written);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
  }

  /** A change may run again, and then those after it do too: what their earlier runs drafted is forgotten. */
  #beginRun(call: number): void {
    let before = { call, model: this.#model, pictures: this.#pictures.length };
    while ((this.#runs.at(-1)?.call ?? 0) >= call) before = { ...(this.#runs.pop() ?? before), call };
    this.#runs.push(before);
    this.#model = before.model.copy();
    this.#pictures.length = before.pictures;
  }

  /** Only the first action of a change may be refused; later ones that would be are left out. */
  #draftAll(draft: Draft, actions: readonly Action[]): void {
    assert(draft.nowMs >= this.#model.timeMs, "time went back");
    this.#model.beginChange(draft.nowMs);
    let drafted = false;
    for (const action of actions) {
      const code = this.#model.refusal(action, "name" in action ? beginOf(draft, action.name) : 0n);
      if (code === undefined) drafted = this.#model.apply(action, this.#draftOne(draft, action)) || drafted;
      else if (!drafted) {
        assert.throws(() => this.#draftOne(draft, action), { code });
        throw new Refused();
      }
    }
    for (const channel of this.#model.channels.values()) this.#lives.set(`${channel.firstId} ${channel.name}`, channel);
    this.#compareDraft(draft);
  }

  /** Returns the first id of what was made, checked against what the model knows of ids, or the one that is trimmed before. */
  #draftOne(draft: Draft, action: Action): bigint {
    switch (action.do) {
      case "create": {
        const { firstId } = draft.createChannel(action.name);
        const least = this.#ids === "internal" ? BigInt(draft.nowMs) << 18n : 0n;
        assert(
          firstId > least && firstId > this.#model.floor,
          `a channel begins at ${firstId}, not above ${least} and ${this.#model.floor}`,
        );
        return firstId;
      }
      case "append":
        return this.#append(draft, action.name, action.texts, action.gap);
      case "destroy":
        draft.destroyChannel(action.name);
        return 0n;
      case "trim": {
        const beforeId = beginOf(draft, action.name) + BigInt(action.ahead);
        draft.trim(action.name, beforeId);
        return beforeId;
      }
      case "put":
        draft.put(action.key, Buffer.from(action.text));
        return 0n;
      case "delete":
        assert.equal(draft.delete(action.key), this.#model.meta.has(action.key));
        return 0n;
    }
  }

  #append(draft: Draft, name: string, texts: readonly string[], gap: number): bigint {
    const next = (this.#model.channels.get(name)?.lastId ?? 0n) + 1n;
    const expected = this.#ids === "internal" ? next : next + BigInt(gap);
    const { firstId, lastId } = draft.append(name, texts.map(message), this.#ids === "internal" ? undefined : expected);
    assert.deepEqual([firstId, lastId], [expected, expected + BigInt(texts.length - 1)]);
    return firstId;
  }

  #compareDraft(draft: Draft): void {
    assert.equal(draft.revision, this.#model.revision);
    assert.equal([...draft.channels()].length, this.#model.channels.size);
    for (const channel of this.#model.channels.values()) {
      const { name, firstId, beginId, endId, lastId } = channel;
      const { name: draftedName, ...drafted } = draft.channel(name) ?? assert.fail(`the draft has no channel ${name}`);
      assert.equal(draftedName, name);
      assert.deepEqual([drafted.firstId, drafted.endId, drafted.lastId], [firstId, endId, lastId]);
      // It may stand further in a gap of the ids.
      const next = this.#model.retained(channel)[0]?.id ?? endId;
      assert(drafted.beginId >= beginId && drafted.beginId <= next, `drafted from ${drafted.beginId}, not from ${beginId} to ${next}`);
    }
    const keys = [...this.#model.meta.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    assert.deepEqual(
      draft.range("").map(({ key }) => key),
      keys,
    );
  }

  /** What readers see is a state that there was, not before the one they saw. */
  #look(): void {
    const picture = visiblePicture(this.#store.engine);
    const index = this.#pictures.indexOf(picture, this.#seen);
    const possible = (): string => this.#pictures.slice(this.#seen).join("\n\nor\n\n");
    assert(index !== -1, `readers see\n\n${picture}\n\nand not one of\n\n${possible()}`);
    this.#seen = index;
    for (const view of this.#store.engine.channels()) if (!this.#oldViews.has(view.name)) this.#oldViews.set(view.name, view);
  }

  /** A read while writes may be under way: right for some moment between its call and its end. */
  async #read({ name, old, ahead, max, maxBytes }: Step & { readonly step: "read" }): Promise<void> {
    const { engine } = this.#store;
    const view = (old ? this.#oldViews.get(name) : undefined) ?? engine.channel(name);
    if (view === undefined) return;
    const { firstId, beginId, endId, destroyed } = view;
    const reopenings = this.#reopenings;
    const fromId = beginId + BigInt(ahead);
    try {
      const stored = await engine.reader(view).read(fromId, max, maxBytes);
      assert(!destroyed, "a channel that is gone is to be refused");
      assert(fromId >= beginId, "what was trimmed is to be refused");
      assert(stored.length <= max);
      const following = this.#life(name, firstId).messages.filter(({ id }) => id >= fromId);
      assert.deepEqual(stored.map(asModel), following.slice(0, stored.length));
      if ((following[0]?.id ?? endId) < endId) assert(stored.length > 0, "there was something to read");
    } catch (error) {
      if (isTidemarkError(error, "position-trimmed")) assert(fromId < this.#life(name, firstId).beginId, `${fromId} is not trimmed`);
      else if (isTidemarkError(error, "channel-not-found")) assert(view.destroyed, "the channel is still there");
      else if (isTidemarkError(error, "closed")) assert.notEqual(this.#reopenings, reopenings);
      else throw error;
    }
  }

  /** The last that the model knew of one life of a channel. */
  #life(name: string, firstId: bigint): ModelChannel {
    return this.#lives.get(`${firstId} ${name}`) ?? assert.fail(`readers see a channel ${name} from ${firstId} that never was`);
  }

  async #compare(channel: ModelChannel): Promise<void> {
    const { engine } = this.#store;
    const view = this.#store.view(channel.name);
    const retained = this.#model.retained(channel);
    assert.deepEqual((await this.#store.messages(channel.name)).map(asModel), retained);
    const half = Math.floor(retained.length / 2);
    const middle = retained[half];
    assert.equal(await engine.countFrom(view, 0n), retained.length);
    assert.equal(await engine.countFrom(view, middle?.id ?? view.endId), retained.length - half);
    const timeMs = middle?.timeMs ?? 0;
    assert.equal(await engine.idAt(view, timeMs), retained.find((one) => one.timeMs >= timeMs)?.id);
  }
}

/** Why a change came to nothing that the model says is refused, or that was aborted. */
class Refused extends Error {
  override readonly name = "Refused";
}

function asModel(stored: StoredMessage): ModelMessage {
  return { id: stored.id, text: textOf(stored), timeMs: stored.timeMs };
}

function beginOf(draft: Draft, name: string): bigint {
  return draft.channel(name)?.beginId ?? 0n;
}
