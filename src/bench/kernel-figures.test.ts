import { describe, expect, it } from "vitest";
import { field, sectorsOf } from "./kernel-figures.js";

describe("what the kernel tells", () => {
  it("is read by name, whatever unit follows", () => {
    const status = "Name:\tnode\nVmHWM:\t   45678 kB\nVmRSS:\t   40000 kB\n";

    expect(field(status, "VmHWM")).toBe(45_678);
    expect(field("rchar: 1\nwchar: 22\nwrite_bytes: 4096\n", "write_bytes")).toBe(4096);
    expect(field(status, "VmRS")).toBeNaN();
  });

  it("of a disk is found by its device number, also above 255", () => {
    const line = (major: number, minor: number, sectors: number): string => ` ${major} ${minor} vda 9 9 9 9 9 9 ${sectors} 9 9 9 9`;
    const stats = [line(254, 0, 10), line(254, 16, 20), line(259, 300, 30)].join("\n");

    expect(sectorsOf(stats, 254 * 256)).toBe(5_120);
    expect(sectorsOf(stats, 254 * 256 + 16)).toBe(10_240);
    expect(sectorsOf(stats, 2 ** 20 + 259 * 256 + 44)).toBe(15_360);
    expect(sectorsOf(stats, 7)).toBeUndefined();
  });
});
