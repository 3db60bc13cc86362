/**
 * Every function of the doors `tidemark/message` and `tidemark/meta`, called with whatever JavaScript lets through: never a bare TypeError or RangeError,
 * which would say nothing of whose fault it is. An export, or a method of what they hand out, without a row in the tables fails.
 */
import { describe, expect, it } from "vitest";
import * as message from "../../src/message/index.js";
import * as meta from "../../src/meta/index.js";
import { newDirectory } from "../rocksmq/program.js";
import { type Row, wrongIn } from "./any-argument.js";
import { memoryMeta, metaInstances, metaRows } from "./meta-rows.js";
import { messageInstances, messageRows } from "./message-rows.js";

type Call = (...args: unknown[]) => unknown;

/** Functions of a door: exports, functions in exported tables, and methods of instances. */
function callsOf(door: Readonly<Record<string, unknown>>, instances: Readonly<Record<string, object>>): Map<string, Call> {
  const calls = new Map<string, Call>();
  for (const [name, exported] of Object.entries(door)) {
    if (isFunction(exported))
      calls.set(name, isClass(exported) ? (...args) => construct(exported, args) : (...args) => call(exported, undefined, args));
    else if (typeof exported === "object" && exported !== null)
      for (const key of Object.keys(exported)) addMember(calls, name, exported, key);
  }
  for (const [name, instance] of Object.entries(instances)) for (const key of methodNames(instance)) addMember(calls, name, instance, key);
  return calls;
}

function addMember(calls: Map<string, Call>, name: string, of: object, key: string): void {
  const member: unknown = Reflect.get(of, key);
  if (isFunction(member)) calls.set(`${name}.${key}`, (...args) => call(member, of, args));
}

function isFunction(value: unknown): value is Call {
  return typeof value === "function";
}

function isClass(exported: Call): boolean {
  return Function.prototype.toString.call(exported).startsWith("class");
}

function call(f: Call, self: unknown, args: readonly unknown[]): unknown {
  const answer: unknown = Reflect.apply(f, self, args);
  return answer;
}

function construct(exported: Call, args: readonly unknown[]): unknown {
  const made: unknown = Reflect.construct(exported, args);
  return made;
}

function methodNames(instance: object): string[] {
  return Object.getOwnPropertyNames(Object.getPrototypeOf(instance)).filter((name) => name !== "constructor");
}

async function wrongInAll(calls: ReadonlyMap<string, Call>, rows: Readonly<Record<string, Row>>): Promise<string[]> {
  const wrong: string[] = [];
  for (const [name, call] of calls) wrong.push(...(await wrongIn(name, call, rows[name] ?? { good: [] })));
  return wrong;
}

/** Of what both doors have, such as ticks. */
const sharedRows = Object.fromEntries(Object.entries(messageRows).filter(([name]) => name in meta));

describe("with anything for an argument", () => {
  it("tidemark/message answers or names what is wrong", async () => {
    const calls = callsOf(message, messageInstances);

    expect([...calls.keys()].sort()).toEqual(Object.keys(messageRows).sort());
    expect(await wrongInAll(calls, messageRows)).toEqual([]);
  });

  it("tidemark/meta answers or names what is wrong", async () => {
    const store = await memoryMeta();
    const calls = callsOf(meta, await metaInstances(store));
    const rows = { ...sharedRows, ...metaRows({ meta: store, dir: newDirectory() }) };

    expect([...calls.keys()].sort()).toEqual(Object.keys(rows).sort());
    expect(await wrongInAll(calls, rows)).toEqual([]);
  });
});
