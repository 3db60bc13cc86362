import { beforeAll, describe, expect, it } from "vitest";
import { openSegmentEngine } from "../../src/storage/index.js";
import type { MemoryVfs } from "../../src/testing/index.js";
import { flipBits } from "./damage.js";
import { flipBit, judge, makeSpecimen, segmentsOf, type Specimen, type Verdict } from "./damaged-store.js";

describe("A damaged store", () => {
  let closed: Specimen;
  let killed: Specimen;
  beforeAll(async () => {
    closed = await makeSpecimen("closed", openSegmentEngine);
    killed = await makeSpecimen("killed", openSegmentEngine);
  });

  const first = (specimen: Specimen): string => segmentsOf(specimen)[0] ?? "";
  const reported = (file: string): object => expect.objectContaining({ kind: "reported", file }) as object;

  it("is one of several segments, all of them live", () => {
    expect(segmentsOf(closed).length).toBeGreaterThan(3);
    expect(segmentsOf(killed).length).toBeGreaterThan(3);
  });

  it("never shows a wrong byte nor skips a message when a bit flips in a segment after a clean close, and names file and offset", async () => {
    const figures = await flipBits(closed, 37);

    process.stdout.write(`flips after a clean close: ${JSON.stringify(figures)}\n`);
    expect(figures.reported).toBeGreaterThan(figures.flips / 2);
    expect(figures.untellable).toBe(0);
  });

  it("nor after a kill, but in the last group, which can't be told from one that was never finished", async () => {
    const figures = await flipBits(killed, 41);

    process.stdout.write(`flips after a kill: ${JSON.stringify(figures)}\n`);
    expect(figures.reported).toBeGreaterThan(figures.flips / 2);
  });

  it("never shows less in silence when an older segment is cut short, wherever", async () => {
    const path = first(closed);
    const whole = closed.disk.fileBytes(path);
    const verdicts: Verdict[] = [];
    for (let size = 0; size < whole.length; size += 61) {
      const cut = (disk: MemoryVfs): void => disk.setFileBytes(path, whole.subarray(0, size));
      verdicts.push(await judge(closed, cut), await judge(killed, cut));
    }

    expect(verdicts.filter(({ kind }) => kind === "reported").length).toBeGreaterThan(verdicts.length / 2);
    for (const verdict of verdicts) if (verdict.kind !== "harmless") expect(verdict).toEqual(reported(path));
  });

  it("nor when it has a hole of zeros", async () => {
    const path = first(closed);
    const verdicts: Verdict[] = [];
    for (let from = 0; from + 64 < closed.disk.fileBytes(path).length; from += 64) {
      const tear = (disk: MemoryVfs): void => disk.setFileBytes(path, disk.fileBytes(path).fill(0, from, from + 64));
      verdicts.push(await judge(closed, tear), await judge(killed, tear));
    }

    expect(verdicts.filter(({ kind }) => kind === "reported").length).toBeGreaterThan(verdicts.length / 2);
    for (const verdict of verdicts) if (verdict.kind !== "harmless") expect(verdict).toEqual(reported(path));
  });

  it("reports each segment that is missing", async () => {
    for (const specimen of [closed, killed]) {
      for (const path of segmentsOf(specimen)) expect(await judge(specimen, (disk) => disk.removeFile(path))).toEqual(reported(path));
    }
  });

  it("reports a segment of another store under the same number", async () => {
    const other = await makeSpecimen("closed", openSegmentEngine);
    for (const path of segmentsOf(closed)) {
      expect(await judge(closed, (disk) => disk.setFileBytes(path, other.disk.fileBytes(path)))).toEqual(reported(path));
    }
  });

  it("reports a segment of its own under another number, in the place of another and above all", async () => {
    const [one = "", two = "", ...rest] = segmentsOf(closed);
    const above = "store/0000009999.seg";
    for (const path of [two, rest.at(-1) ?? "", above]) {
      expect(await judge(closed, (disk) => disk.setFileBytes(path, disk.fileBytes(one)))).toEqual(reported(path));
    }
  });

  it("reports a checkpoint that is damaged, cut short or gone, and never goes back to an older state", async () => {
    const path = "store/checkpoint";
    const { length } = closed.disk.fileBytes(path);
    for (let byte = 0; byte < length; byte += 7) {
      expect([byte, await judge(closed, (disk) => flipBit(disk, path, byte * 8 + (byte % 8)))]).toEqual([byte, reported(path)]);
      expect(await judge(killed, (disk) => disk.setFileBytes(path, disk.fileBytes(path).subarray(0, byte)))).toEqual(reported(path));
    }
    expect(await judge(killed, (disk) => disk.removeFile(path))).toEqual(reported(path));
  });

  it("needs none of its other files: damaged or gone, nothing is missing", async () => {
    for (const specimen of [closed, killed]) {
      const others = [...specimen.disk.snapshot().keys()].filter((path) => !path.endsWith(".seg") && path !== "store/checkpoint");
      expect(others).toContain("store/0000000001.idx");
      for (const path of others) {
        expect([path, await judge(specimen, (disk) => disk.removeFile(path))]).toEqual([path, { kind: "harmless" }]);
        const bits = Math.min(specimen.disk.fileBytes(path).length, 100) * 8;
        for (let bit = 0; bit < bits; bit += 23) {
          expect([path, bit, await judge(specimen, (disk) => flipBit(disk, path, bit))]).toEqual([path, bit, { kind: "harmless" }]);
        }
      }
    }
  });
});
