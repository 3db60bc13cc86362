import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { heedAbort, ignoreAbort } from "./abort-ears.js";

const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, "abort").length;

describe("an ear at a signal", () => {
  it("hears it once, all in the order they came, but for those that were taken back", () => {
    const controller = new AbortController();
    const heard: string[] = [];
    const gone = (): number => heard.push("gone");
    for (const ear of [() => heard.push("one"), gone, () => heard.push("two")]) heedAbort(controller.signal, ear);

    ignoreAbort(controller.signal, gone);
    controller.abort();
    controller.abort();

    expect(heard).toEqual(["one", "two"]);
  });

  it("hears at once what was aborted before, and nothing where there is no signal", () => {
    const heard: string[] = [];

    heedAbort(AbortSignal.abort(), () => heard.push("late"));
    heedAbort(undefined, () => heard.push("never"));
    ignoreAbort(undefined, () => undefined);

    expect(heard).toEqual(["late"]);
  });

  it("is one listener for a thousand, and none once the last is taken back", () => {
    const { signal } = new AbortController();
    const ears = Array.from({ length: 1_000 }, () => () => undefined);

    for (const ear of ears) heedAbort(signal, ear);
    expect(listenersOf(signal)).toBe(1);
    for (const ear of ears) ignoreAbort(signal, ear);

    expect(listenersOf(signal)).toBe(0);
  });

  it("that goes while the others are told hears nothing any more", () => {
    const controller = new AbortController();
    const heard: string[] = [];
    const second = (): number => heard.push("second");
    heedAbort(controller.signal, () => {
      heard.push("first");
      ignoreAbort(controller.signal, second);
    });
    heedAbort(controller.signal, second);

    controller.abort();

    expect(heard).toEqual(["first"]);
  });

  it("may be taken back that never came, or twice", () => {
    const { signal } = new AbortController();
    const [one, two] = [(): void => undefined, (): void => undefined];
    heedAbort(signal, one);

    ignoreAbort(signal, two);
    expect(listenersOf(signal)).toBe(1);
    ignoreAbort(signal, one);
    ignoreAbort(signal, one);

    expect(listenersOf(signal)).toBe(0);
  });
});
