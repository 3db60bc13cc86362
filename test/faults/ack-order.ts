/**
 * Whether a trace shows that every ack came after its message was durable:
 *
 *     pwrite covers the message ─ends─▶ fdatasync of that file begins ─▶ returns 0 ─▶ write(1, "acked …") begins
 *     the file's name:  openat(O_CREAT) ─ends─▶ fsync of the directory begins ─▶ returns 0 ─▶ (the same)
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathOf, type SystemCall } from "./strace.js";

/** Where a message stands. */
export interface Place {
  readonly path: string;
  readonly offset: number;
}

/** The places of all marked messages in the files of a store, by their numbers. */
export function placesOfMessages(dir: string): ReadonlyMap<number, Place> {
  const places = new Map<number, Place>();
  for (const name of readdirSync(dir).filter((one) => one.endsWith(".seg"))) {
    const path = join(dir, name);
    for (const { 1: number, index } of readFileSync(path, "latin1").matchAll(/\[m(\d+)\]/g)) {
      places.set(Number(number), { path, offset: index });
    }
  }
  return places;
}

/** What a trace says of its acks. */
export interface AckOrder {
  /** Acks that were judged. */
  readonly acks: number;
  /** A sentence for each that came too early. */
  readonly early: readonly string[];
  /** Files in which acked messages stand that had been filled with zeros before. */
  readonly prefilled: readonly string[];
}

/** Judges every ack of a trace that holds pwrite64, pwritev, fdatasync, fsync, openat and write. */
export function judgeAcks(calls: readonly SystemCall[], places: ReadonlyMap<number, Place>): AckOrder {
  const by = (names: readonly string[]): SystemCall[] => calls.filter(({ name }) => names.includes(name));
  const writes = by(["pwrite64", "pwritev"]).map((call) => ({ call, path: pathOf(call), ...extentOf(call) }));
  const syncs = by(["fdatasync", "fsync"]).filter(({ result }) => result === 0);
  const creations = by(["openat"]).filter(({ args }) => args.includes("O_CREAT"));
  const durableBefore = (path: string, after: number, before: number): boolean =>
    syncs.some((sync) => pathOf(sync) === path && sync.began > after && sync.ended < before);

  const early: string[] = [];
  const prefilled = new Set<string>();
  const acks = by(["write"]).flatMap((call) => {
    const number = /^1<[^>]*>, "acked (\d+) /.exec(call.args)?.[1];
    return number === undefined ? [] : [{ number: Number(number), at: call.began }];
  });
  for (const { number, at } of acks) {
    const place = places.get(number);
    const covering = writes.filter(({ path, from, to }) => path === place?.path && from <= place.offset && place.offset < to);
    const write = covering.findLast(({ call }) => call.ended < at);
    const file = creations.find(({ args }) => place !== undefined && args.includes(`/${place.path.split("/").at(-1)}"`));
    if (place === undefined || write === undefined) early.push(`message ${number} was acked before it was written`);
    else if (!durableBefore(place.path, write.call.ended, at)) early.push(`message ${number} was acked before it was synced`);
    else if (file === undefined || !durableBefore(dirname(place.path), file.ended, at))
      early.push(`message ${number} was acked before the name of its file was synced`);
    if (covering.length > 1 && place !== undefined) prefilled.add(place.path);
  }
  return { acks: acks.length, early, prefilled: [...prefilled] };
}

/** The bytes of its file that a write covers. (A pwritev is shown without its length: to the end of what it returned.) */
function extentOf({ args, result }: SystemCall): { readonly from: number; readonly to: number } {
  const from = Number(/, (\d+)$/.exec(args)?.[1] ?? NaN);
  return { from, to: from + Math.max(0, result) };
}
