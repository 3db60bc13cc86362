/**
 * What was asked of a store, in the order of the calls, and what it answered: the model that a reopened store is compared with.
 *
 * Calls take effect in their order, each whole or not at all. So whatever happened, what is found must be the state after some first k
 * calls, those left out that were refused with effect none, and k must reach the last call whose ack covers what happened:
 *
 *     create  produce  produce  cursor   produce  trim
 *     acked   acked    refused  written  acked    unknown
 *     ────────────────────────────────────────▶|·······▶      k after any crash: 5 or 6
 */
import { describeState, type FoundChannel, type StoreState } from "./store-state.js";

/** A change, as the model knows it. */
export type Action =
  | { readonly kind: "create"; readonly channel: string }
  | { readonly kind: "destroy"; readonly channel: string }
  | { readonly kind: "append"; readonly channel: string; readonly tags: readonly string[] }
  | { readonly kind: "trim"; readonly channel: string; readonly beforeId: bigint }
  | { readonly kind: "put"; readonly key: string; readonly value: string }
  /** A consumer group of a queue, with all its cursors. */
  | { readonly kind: "destroyGroup"; readonly group: string };

/** How far a call has got. "written": a kill can't undo it. "durable": nor can a power cut. "refused": it never happens. */
export type Outcome = "unknown" | "written" | "durable" | "refused";

/** One call. */
export interface Call {
  readonly action: Action;
  outcome: Outcome;
  /** Of an append that was acked. */
  firstId?: bigint;
}

/** What happened to the process. */
export type Cut = "kill" | "power";

interface ModelMessage {
  readonly tag: string;
  /** Unknown until somebody was told. */
  readonly id: bigint | undefined;
}

/** Ends are unknown where nobody was told of them. */
interface ModelChannel {
  beginId: bigint | undefined;
  endId: bigint | undefined;
  messages: ModelMessage[];
}

interface Model {
  readonly channels: Map<string, ModelChannel>;
  readonly keys: Map<string, string>;
}

/** The calls since a state that is durable. */
export class History {
  #base: StoreState;
  #calls: Call[] = [];
  /** What was found after a kill: until power is cut, or a store is open again, everybody finds that. */
  #found: StoreState | undefined;

  constructor(base: StoreState) {
    this.#base = base;
  }

  begin(action: Action): Call {
    const call: Call = { action, outcome: "unknown" };
    this.#calls.push(call);
    return call;
  }

  /** Everything acked so far is known to survive a power cut. */
  settle(): void {
    for (const call of this.#calls) if (call.outcome === "written") call.outcome = "durable";
  }

  /** A store is open and shows this: opening has made it durable. */
  rebase(state: StoreState): void {
    this.#base = state;
    this.#calls = [];
    this.#found = undefined;
  }

  /**
   * The history of the disk that such a cut has left, on which `state` was found. Of a killed process all is in the cache: more of it
   * may go by a later power cut, but for what was synced. `cacheIsTrue`: no failed sync has spoiled it.
   */
  after(cut: Cut, state: StoreState, cacheIsTrue: boolean): History {
    if (cut === "power") return new History(state);
    const after = this.copy();
    after.#found = cacheIsTrue ? state : undefined;
    return after;
  }

  copy(): History {
    const copy = new History(this.#base);
    copy.#calls = this.#calls.map((call) => ({ ...call }));
    copy.#found = this.#found;
    return copy;
  }

  /** Why this state can't be what is left after such a cut; undefined when it can. */
  objection(state: StoreState, cut: Cut): string | undefined {
    if (cut === "kill" && this.#found !== undefined) {
      const [before, now] = [describeState(this.#found), describeState(state)];
      return before === now ? undefined : `found before:\n${before}\nand, with nothing done but opening, now:\n${now}`;
    }
    const calls = this.#calls.filter((call) => call.outcome !== "refused");
    const covered = (call: Call): boolean => call.outcome === "durable" || (cut === "kill" && call.outcome === "written");
    const atLeast = calls.findLastIndex(covered) + 1;
    const model = modelOf(this.#base);
    const differences: string[] = [];
    for (let k = 0; k <= calls.length; k += 1) {
      const difference = k < atLeast ? "" : differenceOf(model, state);
      if (difference === undefined) return undefined;
      if (k >= atLeast) differences.push(`${k} calls: ${difference}`);
      const next = calls[k];
      if (next !== undefined) apply(model, next);
    }
    const told = calls.map((call, index) => `  ${index + 1} ${call.outcome} ${describeAction(call)}`).join("\n");
    return [
      `found after a ${cut}:\n${describeState(state)}`,
      `base:\n${describeState(this.#base)}`,
      `calls, of which the first ${atLeast} must be there:\n${told}`,
      `it is not the state after\n  ${differences.slice(0, 6).join("\n  ")}`,
    ].join("\n");
  }
}

function modelOf(state: StoreState): Model {
  const channels = [...state.channels].map(([name, channel]): [string, ModelChannel] => [
    name,
    { ...channel, messages: [...channel.messages] },
  ]);
  return { channels: new Map(channels), keys: new Map(state.keys) };
}

function apply(model: Model, { action, firstId }: Call): void {
  const { channels, keys } = model;
  switch (action.kind) {
    case "create":
      channels.set(action.channel, { beginId: undefined, endId: undefined, messages: [] });
      break;
    case "destroy":
      channels.delete(action.channel);
      for (const key of keys.keys()) if (key.endsWith(`/${action.channel}`)) keys.delete(key);
      break;
    case "append": {
      const channel = channels.get(action.channel);
      if (channel === undefined) break;
      for (const [index, tag] of action.tags.entries()) {
        const id = firstId === undefined ? undefined : firstId + BigInt(index);
        channel.messages.push({ tag, id });
        channel.endId = id === undefined ? undefined : id + 1n;
      }
      break;
    }
    case "trim": {
      const channel = channels.get(action.channel);
      if (channel === undefined) break;
      // Only ids that were told can be below: what nobody was told comes behind them.
      const goes = ({ id }: { readonly id: bigint | undefined }): boolean => id !== undefined && id < action.beforeId;
      const lastId = channel.messages.findLast(goes)?.id;
      if (lastId !== undefined) channel.beginId = lastId + 1n;
      channel.messages = channel.messages.filter((message) => !goes(message));
      break;
    }
    case "put":
      keys.set(action.key, action.value);
      break;
    case "destroyGroup":
      keys.delete(`groups/${action.group}`);
      for (const key of keys.keys()) if (key.startsWith(`${action.group}/`)) keys.delete(key);
      break;
    default:
      action satisfies never;
  }
}

/** Undefined when the model can be this state. */
function differenceOf(model: Model, state: StoreState): string | undefined {
  for (const name of new Set([...model.channels.keys(), ...state.channels.keys()])) {
    const [expected, found] = [model.channels.get(name), state.channels.get(name)];
    if (expected === undefined) return `channel ${name} should not be there`;
    if (found === undefined) return `channel ${name} is missing`;
    const difference = channelDifference(expected, found);
    if (difference !== undefined) return `${name}: ${difference}`;
  }
  for (const key of new Set([...model.keys.keys(), ...state.keys.keys()])) {
    const [expected, found] = [model.keys.get(key), state.keys.get(key)];
    if (expected !== found) return `${key} should be ${expected} and is ${found}`;
  }
  return undefined;
}

function channelDifference(expected: ModelChannel, found: FoundChannel): string | undefined {
  if (expected.beginId !== undefined && found.beginId !== expected.beginId) return `begins at ${found.beginId}, not at ${expected.beginId}`;
  if (expected.endId !== undefined && found.endId !== expected.endId) return `ends at ${found.endId}, not at ${expected.endId}`;
  if (expected.messages.length !== found.messages.length) return `${found.messages.length} messages, not ${expected.messages.length}`;
  for (const [index, message] of expected.messages.entries()) {
    const there = found.messages[index];
    if (there?.tag !== message.tag) return `message ${index} is ${there?.tag}, not ${message.tag}`;
    if (message.id !== undefined && there.id !== message.id) return `${message.tag} has id ${there.id}, not ${message.id}`;
  }
  return undefined;
}

function describeAction({ action, firstId }: Call): string {
  switch (action.kind) {
    case "append":
      return `append ${action.channel} ${action.tags.join(" ")} at ${firstId ?? "?"}`;
    case "trim":
      return `trim ${action.channel} before ${action.beforeId}`;
    case "put":
      return `put ${action.key} = ${action.value}`;
    case "destroyGroup":
      return `destroy group ${action.group}`;
    default:
      return `${action.kind} ${action.channel}`;
  }
}
