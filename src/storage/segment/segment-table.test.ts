import { describe, expect, it } from "vitest";
import { SegmentTable } from "./segment-table.js";

describe("the table of segments", () => {
  it("calls dead the sealed ones that nothing lives in, and lists the other sealed ones in order", () => {
    const table = new SegmentTable();
    for (const number of [5, 3, 4, 6]) table.add(number);
    for (const number of [3, 5, 6]) table.retain(number);
    for (const number of [3, 4, 5]) table.seal(number, number * 100);

    expect([...table.dead]).toEqual([4]);
    expect(table.sealed()).toEqual([
      { number: 3, end: 300 },
      { number: 5, end: 500 },
    ]);
  });

  it("calls a segment dead when the last run in it is released, and alive again when one begins", () => {
    const table = new SegmentTable();
    table.add(1, 100);
    table.retain(1);
    table.retain(1);

    table.release(1);
    expect([...table.dead]).toEqual([]);
    table.release(1);
    expect([...table.dead]).toEqual([1]);
    table.retain(1);
    expect([...table.dead]).toEqual([]);
  });

  it("never calls the last one dead, which has no end yet", () => {
    const table = new SegmentTable();
    table.add(1);
    expect([...table.dead]).toEqual([]);

    table.seal(1, 96);
    expect([...table.dead]).toEqual([1]);
    table.remove(1);
    expect([...table.dead]).toEqual([]);
    expect(table.get(1)).toBeUndefined();
  });

  it("breaks an invariant when a run is in a segment that it does not know", () => {
    expect(() => new SegmentTable().retain(7)).toThrow("segment 7 is not in the table");
  });
});
