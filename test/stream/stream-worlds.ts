/**
 * Where random lives of whole streams are lived: channels over a back-end, a clock that stands still, and an end that may come at any time.
 */
import { MemoryBackend } from "../../src/backend/index.js";
import { protoUnmarshal, type UnmarshalDispatcher } from "../../src/message/index.js";
import { openRocksMq, type RocksMq } from "../../src/rocksmq/index.js";
import { memoryMsgStreamFactory, type MsgStreamFactory, rocksMqMsgStreamFactory, type StreamOptions } from "../../src/stream/index.js";
import { BackendMsgStreamFactory } from "../../src/stream/factory.js";
import { defaultSettings, withOptions } from "../../src/stream/options.js";
import { ManualClock, MemoryVfs } from "../../src/testing/index.js";
import { DelayedBackend } from "./delayed-backend.js";

/** A set of channels, and what makes streams over them now. */
export interface World {
  readonly backend: "memory" | "rocksmq";
  readonly clock: ManualClock;
  readonly factory: MsgStreamFactory;
  /** Turns of the event loop after which nothing happens any more unless somebody does something. */
  readonly turns: number;
  /** The process ends, after its streams were closed or in the middle of it, and another one begins. */
  restart(how: "closed" | "killed"): Promise<void>;
  end(): Promise<void>;
}

/** What a payload says that no stream can read. */
export const poison = "poison";

/** Channels in memory, which outlive no process: a restart is one of the stream alone. */
export function memoryWorld(bufferPacks: number): World {
  const clock = new ManualClock();
  const factory = memoryMsgStreamFactory(optionsOf(clock, bufferPacks));
  return { backend: "memory", clock, factory, turns: 1, restart: () => Promise.resolve(), end: () => factory.close() };
}

/** The same, with answers that come in an order of its own for each number. */
export function delayedWorld(bufferPacks: number, order: number): World {
  const clock = new ManualClock();
  const backend = new DelayedBackend(new MemoryBackend({ clock }), order);
  const factory = new BackendMsgStreamFactory(backend, withOptions(defaultSettings(), optionsOf(clock, bufferPacks)));
  return { backend: "memory", clock, factory, turns: 1, restart: () => Promise.resolve(), end: () => factory.close() };
}

/** Channels of a queue on a disk in memory. */
export async function rocksMqWorld(bufferPacks: number): Promise<World> {
  const clock = new ManualClock();
  let vfs = new MemoryVfs();
  let mq = await openQueue(vfs, clock);
  let factory = rocksMqMsgStreamFactory(mq, optionsOf(clock, bufferPacks));
  return {
    backend: "rocksmq",
    clock,
    get factory() {
      return factory;
    },
    turns: 4,
    restart: async (how) => {
      if (how === "killed") vfs = vfs.kill();
      else {
        await factory.close();
        await mq.close();
      }
      mq = await openQueue(vfs, clock);
      factory = rocksMqMsgStreamFactory(mq, optionsOf(clock, bufferPacks));
    },
    end: async () => {
      await factory.close();
      await mq.close();
    },
  };
}

function openQueue(vfs: MemoryVfs, clock: ManualClock): Promise<RocksMq> {
  return openRocksMq({ dir: "/queue", vfs, clock, prefill: "off" });
}

function optionsOf(clock: ManualClock, bufferPacks: number): StreamOptions {
  return { clock, bufferPacks, unmarshal: refusingPoison() };
}

function refusingPoison(): UnmarshalDispatcher {
  const proto = protoUnmarshal.newUnmarshalDispatcher();
  return {
    unmarshal: (input, type) => {
      const msg = proto.unmarshal(input, type);
      if (msg.type === "user" && Buffer.from(msg.body.payload).toString() === poison) throw new Error("no stream reads this");
      return msg;
    },
    addMsgTemplate: (type, f) => proto.addMsgTemplate(type, f),
  };
}
