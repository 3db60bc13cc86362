import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { frameAlignment, frameHeaderBytes } from "../../src/storage/segment/frame.js";
import { segmentHeaderBytes } from "../../src/storage/segment/segment-header.js";
import type { TestStore } from "../../src/storage/conformance/test-store.js";
import { MemoryVfs } from "../../src/testing/index.js";
import { dir, openOn, pass } from "../segment/segment-store.js";
import { readStore, type ReadStore } from "./log-format-reader.js";
import { missingTests, namedTests } from "./named-tests.js";
import { codeBlocks, codeSpans, readPage, sectionsOf, tableRows } from "./pages.js";

const page = readPage("docs/log-format.md");
const sections = sectionsOf(page);

function sectionNamed(title: string): string {
  const found = sections.find((section) => section.title === title);
  if (found === undefined) throw new Error(`docs/log-format.md has no section "${title}"`);
  return found.body;
}

function sourceOf(file: string): string {
  return readPage(`src/storage/segment/${file}`);
}

/** The number that a constant in a source is, where it is written as a product or a power. */
function constantIn(file: string, name: string): number {
  const text = new RegExp(`^(?:export )?const ${name} = ([^;]+);`, "m").exec(sourceOf(file))?.[1];
  if (text === undefined) throw new Error(`${file} has no constant ${name}`);
  const [base = NaN, exponent] = text.split("**").map(numberIn);
  return exponent === undefined ? numberIn(text) : base ** exponent;
}

function numberIn(text: string): number {
  return text
    .replaceAll(/[_n\s]/g, "")
    .split("*")
    .reduce((product, factor) => product * Number(factor), 1);
}

/** "64 KiB", "100 ms", "2^20", "4". */
function valueOf(cell: string): number {
  const [number = "", unit = ""] = cell.split(" ");
  const [base = NaN, exponent = 1] = number.split("^").map(Number);
  return base ** exponent * ({ KiB: 1024, MiB: 1024 * 1024 }[unit] ?? 1);
}

/** Name → offset, of an object of numbers in a source. */
function offsetsIn(file: string, name: string): [string, number][] {
  const text = new RegExp(`const ${name} = \\{([^}]+)\\} as const`).exec(sourceOf(file))?.[1] ?? "";
  return [...text.matchAll(/(\w+): (\d+)/g)].map((match) => [match[1] ?? "", Number(match[2])]);
}

const sizes: Readonly<Record<string, number>> = { u8: 1, u32: 4, u64: 8, f64: 8 };

/** The rows of a table of fields, each with where it must end. */
function fieldsOf(title: string): { offset: number; end: number; name: string | undefined }[] {
  return tableRows(sectionNamed(title))
    .filter(([offset]) => /^\d+$/.test(offset ?? ""))
    .map(([offset, type = "", name = ""]) => ({
      offset: Number(offset),
      end: Number(offset) + (sizes[type] ?? Number(type)),
      name: codeSpans(name)[0],
    }));
}

describe("docs/log-format.md", () => {
  it.each(sections.filter(({ title }) => title !== "Numbers"))("names tests that exist, under $title", ({ body }) => {
    const tests = namedTests(body);

    expect(tests.length).toBeGreaterThan(0);
    expect(missingTests(tests)).toEqual([]);
  });

  it("says of each number what the code says", () => {
    const rows = tableRows(sectionNamed("Numbers"));

    expect(rows.length).toBeGreaterThan(10);
    for (const [what, value = "", where = ""] of rows) {
      const [file = "", name = ""] = codeSpans(where);
      expect(constantIn(file, name), what).toBe(valueOf(value));
    }
    expect(page).toContain(`${segmentHeaderBytes} bytes with its 32 bytes of body`);
  });

  it.each([
    ["Frame", "frame.ts", "offsets", frameHeaderBytes],
    ["Segment header", "segment-header.ts", "at", constantIn("segment-header.ts", "bodyBytes")],
  ] as const)("has the fields of the code in the table under %s, without a gap", (title, file, object, bytes) => {
    const fields = fieldsOf(title);

    expect(fields.flatMap(({ name, offset }) => (name === undefined ? [] : [[name, offset]]))).toEqual(offsetsIn(file, object));
    expect(fields.map(({ offset }) => offset)).toEqual([0, ...fields.slice(0, -1).map(({ end }) => end)]);
    expect(fields.at(-1)?.end).toBe(bytes);
  });

  it("draws the frame with its rows where they are", () => {
    const picture = codeBlocks(sectionNamed("Frame"))[0]?.text ?? "";

    const rows = [...picture.matchAll(/^ +(\d+) │/gm)].map((match) => Number(match[1]));

    expect(rows).toEqual([0, 16, 32, 48, frameHeaderBytes]);
    expect(picture).toContain(`0 to ${frameAlignment - 1} zeros`);
  });

  it("numbers kinds and records as the code does", () => {
    const records = tableRows(sectionNamed("Control records")).map(([type, name = ""]) => [codeSpans(name)[0] ?? "", Number(type)]);

    expect(records).toEqual(offsetsIn("control-record.ts", "types"));
    expect(offsetsIn("frame.ts", "kinds")).toEqual([
      ["header", 1],
      ["batch", 2],
      ["control", 3],
    ]);
    expect(sectionNamed("Frame")).toContain("1 segment header, 2 batch, 3 control records");
    expect(offsetsIn("frame.ts", "marks")).toEqual([
      ["first", 1],
      ["last", 2],
      ["copy", 4],
    ]);
  });
});

/** What the engine shows of the store, in the words of the page's reader. */
async function shownBy(store: TestStore): Promise<ReadStore> {
  const channels = new Map<string, ReadStore["channels"] extends ReadonlyMap<string, infer Channel> ? Channel : never>();
  for (const { name, beginId, endId } of store.engine.channels()) {
    const messages = (await store.messages(name)).map(({ id, timeMs, payload, properties }) => ({
      id,
      timeMs,
      payload: Buffer.from(payload).toString(),
      properties: { ...properties },
    }));
    channels.set(name, { beginId, endId, messages });
  }
  const entries = store.engine.meta.range("");
  const keys = entries.map(({ key, value, createRevision: created, modRevision: changed }) => {
    return [key, { value: Buffer.from(value).toString(), created, changed }] as const;
  });
  return { channels, keys: new Map(keys) };
}

function filesOn(disk: MemoryVfs): Map<string, Buffer> {
  return new Map([...disk.snapshot()].map(([path, bytes]) => [path.slice(dir.length + 1), Buffer.from(bytes)]));
}

/** By name, so that the order in which channels are listed says nothing. */
function sorted({ channels, keys }: ReadStore): unknown {
  return { channels: Object.fromEntries(channels), keys: Object.fromEntries(keys) };
}

/** Segments of which little lives are copied forward. */
async function compacted(store: TestStore): Promise<void> {
  for (let round = 0; round < 5; round++) await pass(store, 1000);
}

const anyStep = fc.record({
  what: fc.constantFrom("append", "append", "append", "create", "destroy", "trim", "put", "delete", "reopen", "kill", "wait"),
  pick: fc.nat(5),
  size: fc.oneof(fc.nat(200), fc.nat(3000)),
});

describe("the page alone", () => {
  it("is enough to read a store that the engine wrote, and finds what the engine finds", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 40 }), fc.boolean(), async (steps, isClosed) => {
        let disk = new MemoryVfs();
        let store = await openOn(disk, { segmentBytes: 4096 });
        let made = 0;
        for (const { what, pick, size } of steps) {
          const name = store.names()[pick % Math.max(1, store.names().length)];
          if (what === "create" || name === undefined) await store.create(`c${made++}`);
          else if (what === "append") {
            const message = { payload: Buffer.from("é".repeat(size)), properties: pick > 2 ? { size: String(size), ключ: "" } : undefined };
            await store.write((draft) => draft.append(name, [message, { payload: new Uint8Array(0) }]));
          } else if (what === "destroy" && pick === 0) await store.destroy(name);
          else if (what === "trim" && store.view(name).endId > store.view(name).beginId)
            await store.trim(name, store.view(name).beginId + 1n);
          else if (what === "put") await store.put(`key${pick}`, "v".repeat(size));
          else if (what === "delete") await store.write((draft) => void draft.delete(`key${pick}`));
          else if (what === "reopen") await store.reopen();
          else if (what === "wait") await compacted(store);
          else if (what === "kill") store = await openOn((disk = disk.kill()), { segmentBytes: 4096 });
          await store.clock.advance(30);
        }
        const shown = await shownBy(store);
        if (isClosed) await store.close();

        expect(sorted(readStore(filesOn(disk.kill())))).toEqual(sorted(shown));
      }),
      { numRuns: 40 },
    );
  });

  it("is enough to find a flipped bit", async () => {
    const disk = new MemoryVfs();
    const store = await openOn(disk);
    await store.create("a");
    await store.append("a", "one", "two");
    await store.close();
    const files = filesOn(disk);
    const segment = files.get("0000000001.seg") ?? Buffer.alloc(0);
    for (let offset = 0; offset < segment.length; offset++) {
      const damaged = Buffer.from(segment);
      damaged[offset] = (damaged[offset] ?? 0) ^ 2;
      expect(() => readStore(new Map(files).set("0000000001.seg", damaged)), `offset ${offset}`).toThrow(/^segment 1 /);
    }
  });
});
