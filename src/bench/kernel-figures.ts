/**
 * What the kernel counts: bytes that a process wrote, bytes that a disk took, memory. Linux only; elsewhere there is nothing to read.
 */
import { readFile, stat } from "node:fs/promises";
import { systemCode } from "../base/system-error.js";

/** Bytes written so far. */
export interface BytesWritten {
  /** Handed to `write` and its kin by this process, files and all else. */
  readonly calls: number;
  /** Pages of files that this process made dirty. */
  readonly pages: number;
  /** By the disk under a folder, whoever wrote; undefined when it is no disk of its own. */
  readonly disk: number | undefined;
}

/** Undefined where the kernel does not tell. */
export async function bytesWritten(folder: string): Promise<BytesWritten | undefined> {
  const [io, disks] = await Promise.all([textOf("/proc/self/io"), textOf("/proc/diskstats")]);
  if (io === undefined) return undefined;
  const { dev } = await stat(folder);
  return { calls: field(io, "wchar"), pages: field(io, "write_bytes"), disk: disks === undefined ? undefined : sectorsOf(disks, dev) };
}

/** The most memory that this process has had resident so far, and what it has now, in bytes. */
export async function residentBytes(): Promise<{ readonly peak: number; readonly now: number }> {
  const status = await textOf("/proc/self/status");
  const now = process.memoryUsage.rss();
  return { now, peak: status === undefined ? process.resourceUsage().maxRSS * 1024 : field(status, "VmHWM") * 1024 };
}

/** The number behind a name, as in "wchar: 123" and "VmHWM:  45 kB". NaN when it is not there. */
export function field(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s*(\\d+)`, "m").exec(text)?.[1] ?? NaN);
}

/** Bytes that the disk with this device number has written, out of /proc/diskstats. */
export function sectorsOf(diskstats: string, device: number): number | undefined {
  // The kernel's encoding of a device number: minor 0–7, major 8–19, the rest of the minor above.
  const major = Math.floor(device / 256) % 4096;
  const minor = (device % 256) + Math.floor(device / 2 ** 20) * 256;
  for (const line of diskstats.split("\n")) {
    const [lineMajor, lineMinor, , , , , , , , sectors] = line.trim().split(/\s+/);
    if (Number(lineMajor) === major && Number(lineMinor) === minor) return Number(sectors) * 512;
  }
  return undefined;
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "EACCES") return undefined;
    throw error;
  }
}
