/**
 * A back-end whose readers and writers say at their close that something went wrong: all of a stream is closed, and all of its factory.
 */
import { describe, expect, it } from "vitest";
import { type LogReader, type LogReaderOptions, type LogWriter, MemoryBackend, type ReadStart } from "../../src/backend/index.js";
import { BackendMsgStreamFactory } from "../../src/stream/factory.js";
import { defaultSettings, withOptions } from "../../src/stream/options.js";
import { ManualClock } from "../../src/testing/index.js";
import { DelayedBackend } from "./delayed-backend.js";
import { Logs, positionOf, takeMessages } from "./logs.js";

/** Whatever is closed is closed, and then said not to be, where its name is among the careless. */
class CarelessBackend extends DelayedBackend {
  readonly open: string[] = [];
  careless = /nothing/;

  override async openReader(channel: string, start: ReadStart, options?: LogReaderOptions): Promise<LogReader> {
    return this.#careless(`reader of ${channel}`, await super.openReader(channel, start, options));
  }

  override async openWriter(channel: string): Promise<LogWriter> {
    return this.#careless(`writer of ${channel}`, await super.openWriter(channel));
  }

  #careless<T extends { close(): Promise<void> }>(name: string, part: T): T {
    const close = part.close.bind(part);
    let closed: Promise<void> | undefined;
    this.open.push(name);
    part.close = () => (closed ??= this.#close(name, close));
    return part;
  }

  async #close(name: string, close: () => Promise<void>): Promise<void> {
    await close();
    this.open.splice(this.open.indexOf(name), 1);
    if (this.careless.test(name)) throw new Error(`the ${name} was lost`);
  }
}

function setting(): { readonly backend: CarelessBackend; readonly factory: BackendMsgStreamFactory } {
  const clock = new ManualClock();
  const backend = new CarelessBackend(new MemoryBackend({ clock }), 1);
  return { backend, factory: new BackendMsgStreamFactory(backend, withOptions(defaultSettings(), { clock })) };
}

describe.each(["plain", "time-tick"] as const)("a %s stream", (kind) => {
  it.each([
    ["the reader of c1 was lost", /reader of c1/],
    ["the writer of c1 was lost", /writer of c1/],
    ["the reader of c1 was lost", /c1/],
  ])("whose parts can't all be closed is closed with the others and the back-end, and it is told: %s", async (text, careless) => {
    const { backend, factory } = setting();
    for (const name of ["s1", "s2"]) {
      const stream = kind === "plain" ? await factory.newMsgStream() : await factory.newTtMsgStream();
      await stream.asProducer(["c1", "c2"]);
      await stream.asConsumer(["c1", "c2"], name);
    }
    backend.careless = careless;

    await expect(factory.close()).rejects.toThrow(text);

    expect(backend.open).toEqual([]);
    expect(backend.ended.aborted).toBe(true);
  });

  it("goes on at the place that it seeks when a reader that it leaves can't be closed, and it is told", async () => {
    const { backend, factory } = setting();
    const logs = new Logs(factory);
    await logs.write("c1", "a@1 b@2 T10");
    const stream = kind === "plain" ? await factory.newMsgStream() : await factory.newTtMsgStream();
    await stream.asConsumer(["c1"], "s");
    const begin = positionOf(await stream.consume(), "c1", "start");
    backend.careless = /reader/;

    await expect(stream.seek(begin)).rejects.toThrow("was lost");

    backend.careless = /nothing/;
    expect(await takeMessages(stream, 1)).toContain("b");
    await factory.close();
  });
});
