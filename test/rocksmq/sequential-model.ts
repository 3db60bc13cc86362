/**
 * What a queue would answer if every call were awaited: arrays and maps, one call after the other. Ids count from 1 over all channels, as
 * the allocator of the test does.
 */

/** What a call comes to: a value, or the code of its error. */
export type Outcome = { readonly value: unknown } | { readonly code: string };

interface Channel {
  readonly messages: { readonly id: bigint; readonly text: string }[];
  /** Tells a channel from a later one of its name. */
  readonly incarnation: number;
  beginId: bigint;
  endId: bigint;
}

interface Group {
  readonly from: "earliest" | "latest";
  readonly ends: Map<string, { readonly incarnation: number; readonly endId: bigint }>;
  readonly cursors: Map<string, bigint>;
  readonly positions: Map<string, string>;
}

/** Each method is one call; the state is as after it. */
export class SequentialModel {
  readonly #channels = new Map<string, Channel>();
  readonly #groups = new Map<string, Group>();
  #incarnations = 0;
  #floor = 1n;
  #nextId = 1n;

  /** The id that the next message gets, wherever. */
  get nextId(): bigint {
    return this.#nextId;
  }

  createChannel(name: string): Outcome {
    if (this.#channels.has(name)) return { code: "channel-exists" };
    this.#incarnations += 1;
    this.#channels.set(name, { messages: [], incarnation: this.#incarnations, beginId: this.#floor, endId: this.#floor });
    return { value: undefined };
  }

  destroyChannel(name: string): Outcome {
    const channel = this.#channels.get(name);
    if (channel === undefined) return { code: "channel-not-found" };
    if (channel.endId > this.#floor) this.#floor = channel.endId;
    this.#channels.delete(name);
    for (const { cursors, positions } of this.#groups.values()) {
      cursors.delete(name);
      positions.delete(name);
    }
    return { value: undefined };
  }

  createGroup(name: string, from: "earliest" | "latest"): Outcome {
    if (this.#groups.has(name)) return { code: "group-exists" };
    const ends = new Map([...this.#channels].map(([channel, { incarnation, endId }]) => [channel, { incarnation, endId }]));
    this.#groups.set(name, { from, ends, cursors: new Map(), positions: new Map() });
    return { value: undefined };
  }

  destroyGroup(name: string): Outcome {
    return this.#groups.delete(name) ? { value: undefined } : { code: "group-not-found" };
  }

  produce(name: string, texts: readonly string[]): Outcome {
    const channel = this.#channels.get(name);
    // The allocator is asked all the same.
    const firstId = this.#nextId;
    this.#nextId += BigInt(texts.length);
    if (channel === undefined) return { code: "channel-not-found" };
    texts.forEach((text, at) => channel.messages.push({ id: firstId + BigInt(at), text }));
    channel.endId = this.#nextId;
    return { value: firstId };
  }

  consume(group: string, name: string, max: number): Outcome {
    return this.#onPair(group, name, (channel, { cursors }, cursor) => {
      cursors.set(name, cursor);
      if (cursor < channel.beginId) return { code: "position-trimmed" };
      const got = channel.messages.filter(({ id }) => id >= cursor && id >= channel.beginId).slice(0, max);
      const last = got.at(-1);
      if (last !== undefined) cursors.set(name, last.id + 1n);
      return { value: got.map(({ text }) => text) };
    });
  }

  seek(group: string, name: string, id: bigint | "latest"): Outcome {
    return this.#onPair(group, name, (channel, { cursors }) => {
      const to = id === "latest" ? channel.endId : id;
      if (to < channel.beginId) return { code: "position-trimmed" };
      if (to > channel.endId) return { code: "position-ahead" };
      cursors.set(name, to);
      return { value: undefined };
    });
  }

  saveResumePoint(group: string, name: string, id: bigint, position: string): Outcome {
    return this.#onPair(group, name, (channel, { cursors, positions }) => {
      if (id > channel.endId) return { code: "position-ahead" };
      cursors.set(name, id > channel.beginId ? id : channel.beginId);
      positions.set(name, position);
      return { value: undefined };
    });
  }

  loadResumePoint(group: string, name: string): Outcome {
    return { value: this.#groups.get(group)?.positions.get(name) };
  }

  trim(name: string, id: bigint): Outcome {
    return this.#onChannel(name, (channel) => {
      if (id > channel.endId) return { code: "position-ahead" };
      const last = retained(channel).findLast((message) => message.id < id);
      if (last !== undefined) channel.beginId = last.id + 1n;
      return { value: undefined };
    });
  }

  latestId(name: string): Outcome {
    return this.#onChannel(name, ({ beginId, endId }) => ({ value: beginId < endId ? endId - 1n : undefined }));
  }

  read(name: string): Outcome {
    return this.#onChannel(name, (channel) => ({ value: retained(channel).map(({ text }) => text) }));
  }

  describe(name: string): Outcome {
    return this.#onChannel(name, (channel) => {
      const groups = [...this.#groups].flatMap(([group, { cursors }]) => {
        const cursor = cursors.get(name);
        return cursor === undefined
          ? []
          : [{ group, currentId: cursor, lag: BigInt(retained(channel).filter(({ id }) => id >= cursor).length) }];
      });
      const messages = BigInt(retained(channel).length);
      return { value: { endId: channel.endId, messages, groups: groups.sort((a, b) => (a.group < b.group ? -1 : 1)) } };
    });
  }

  names(): Outcome {
    return { value: [[...this.#channels.keys()].sort(), [...this.#groups.keys()].sort()] };
  }

  #onChannel(name: string, run: (channel: Channel) => Outcome): Outcome {
    const channel = this.#channels.get(name);
    return channel === undefined ? { code: "channel-not-found" } : run(channel);
  }

  #onPair(name: string, on: string, run: (channel: Channel, group: Group, cursor: bigint) => Outcome): Outcome {
    return this.#onChannel(on, (channel) => {
      const group = this.#groups.get(name);
      if (group === undefined) return { code: "group-not-found" };
      const seen = group.ends.get(on);
      const start = group.from === "latest" && seen?.incarnation === channel.incarnation ? seen.endId : channel.beginId;
      return run(channel, group, group.cursors.get(on) ?? start);
    });
  }
}

function retained({ messages, beginId }: Channel): Channel["messages"] {
  return messages.filter(({ id }) => id >= beginId);
}
