/**
 * A build of the storage room with some of its source changed: how rules are broken on purpose without a switch for it in the product.
 *
 * Each edit names a snippet that must stand in the file exactly once, so that an edit of code that has moved on is an error, not a mutant
 * that breaks nothing.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "vite";
import { bundle } from "../bundle.js";
import type * as storage from "../../../src/storage/index.js";
import type { OpenEngine } from "../engine-run.js";

/** One change of the source. */
export interface Edit {
  /** Below `src/storage/`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const sourceRoot = resolve(import.meta.dirname, "../../../src");
const entry = join(sourceRoot, "storage/index.ts");

/** What a build of the room offers. */
export type StorageRoom = Pick<typeof storage, "openSegmentEngine" | "openReadOnlySegmentEngine" | "inspectSegmentStore">;

/** Builds the storage room with these edits, and loads its engine. */
export async function buildEngine(edits: readonly Edit[]): Promise<OpenEngine> {
  return (await buildRoom(edits)).openSegmentEngine;
}

/** Builds the storage room with these edits, and loads it. */
export async function buildRoom(edits: readonly Edit[]): Promise<StorageRoom> {
  const applied = new Set<Edit>();
  const code = await bundle(entry, [editing(edits, applied)]);
  const missed = edits.find((edit) => !applied.has(edit));
  if (missed !== undefined) throw new Error(`src/storage/${missed.file} is no part of the build`);
  return load(code);
}

function editing(edits: readonly Edit[], applied: Set<Edit>): Plugin {
  return {
    name: "edits",
    enforce: "pre",
    transform(code, id) {
      const file = relative(join(sourceRoot, "storage"), id);
      let edited = code;
      for (const edit of edits.filter((one) => one.file === file)) {
        const times = edited.split(edit.from).length - 1;
        if (times !== 1) throw new Error(`src/storage/${file} has this ${times} times, not once: ${edit.from}`);
        edited = edited.replace(edit.from, () => edit.to);
        applied.add(edit);
      }
      return edited;
    },
  };
}

async function load(code: string): Promise<StorageRoom> {
  const directory = await mkdtemp(join(tmpdir(), "tidemark-test-build-"));
  try {
    const path = join(directory, "storage.mjs");
    await writeFile(path, code);
    const room: unknown = await import(/* @vite-ignore */ pathToFileURL(path).href);
    if (!isStorageRoom(room)) throw new Error("the build has not all that is asked of it");
    return room;
  } finally {
    await rm(directory, { recursive: true });
  }
}

function isStorageRoom(room: unknown): room is StorageRoom {
  const names = ["openSegmentEngine", "openReadOnlySegmentEngine", "inspectSegmentStore"];
  return typeof room === "object" && room !== null && names.every((name) => typeof Reflect.get(room, name) === "function");
}
