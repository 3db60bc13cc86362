/**
 * The lives that the explorer cuts short. Segments are tiny, so that a few messages fill them; tags say the rest.
 */
import type { EngineOptions } from "../../src/storage/index.js";
import { FaultFound } from "./fault-found.js";
import type { EngineRun, EngineScript } from "./engine-run.js";

type Durability = EngineOptions["durability"];

const segmentBytes = 1024;

function durabilityName(durability: Durability): string {
  return typeof durability === "object" ? `every ${durability.everyMs} ms` : durability;
}

/** Everything that a store can be asked for: groups of one and of many, rolls, cursors, trims, a channel made again, clean stops. */
export function everything(durability: Durability): EngineScript {
  return {
    name: `everything (${durabilityName(durability)})`,
    durability,
    segmentBytes,
    steps: async (run) => {
      await fill(run);
      await run.reopen();
      await empty(run);
      await run.pass(1500);
      await run.reopen();
      await Promise.all([run.produce("a", 1), run.produce("c", 2), run.moveCursor("g", "c", 9)]);
    },
  };
}

/** A life in a few operations, for exploring what comes after it too. */
export function shortLife(durability: Durability): EngineScript {
  return {
    name: `short life (${durabilityName(durability)})`,
    durability,
    segmentBytes: 512,
    steps: async (run) => {
      await Promise.all([run.create("a"), run.create("b")]);
      await run.moveCursor("g", "a", 1);
      await Promise.all([run.produce("a", 1), run.produce("b", 1)]);
      await run.produce("a", 1, 300);
      await run.moveCursor("g", "a", 2);
      await run.produce("a", 1, 200);
      await run.trimAll("a");
    },
  };
}

/** Cursors' moves and messages in turn, un-synced, so that a frame of the one may straddle two sectors and be torn before one of the other. */
export function longTail(): EngineScript {
  return {
    name: "long tail",
    durability: "os",
    segmentBytes: 4096,
    steps: async (run) => {
      await run.create("a");
      for (let turn = 0; turn < 8; turn += 1) {
        await run.moveCursor("g", "a", turn);
        await run.produce("a", 1, 30 + turn);
      }
    },
  };
}

/** What may come after any life, briefly: the same cursor, the one channel, the other made again, a clean stop. */
export function shortAfterlife(durability: Durability): EngineScript {
  return {
    name: `short afterlife (${durabilityName(durability)})`,
    durability,
    segmentBytes: 512,
    steps: async (run) => {
      await run.moveCursor("g", "a", 3);
      if (run.engine.channel("b") !== undefined) await run.produce("b", 1);
      if (run.engine.channel("a") !== undefined) await run.destroy("a");
      await run.create("a");
      await run.produce("a", 1);
      await run.reopen();
    },
  };
}

/** What goes on after a recovery: every kind of call once more, a roll, and a clean stop. */
export function lifeGoesOn(durability: Durability): EngineScript {
  return {
    name: `life goes on (${durabilityName(durability)})`,
    durability,
    segmentBytes,
    steps: async (run) => {
      await run.moveCursor("g", "a", 3);
      for (const name of ["a", "late"]) if (run.engine.channel(name) === undefined) await run.create(name);
      await Promise.all([run.produce("a", 2), run.produce("late", 1), run.produce("a", 1)]);
      for (let round = 0; round < 3; round += 1) await run.produce("a", 1, 400);
      await run.destroy("late");
      await run.create("late");
      await run.produce("late", 1);
      await run.trimAll("a");
      await run.reopen();
      await run.produce("a", 1);
    },
  };
}

/**
 * Segments of which little lives are compacted: two small batches each, between large ones that go, and what is newest stays where it is. What was
 * copied is trimmed, and copied again.
 */
export function compaction(durability: Durability): EngineScript {
  return {
    name: `compaction (${durabilityName(durability)})`,
    durability,
    segmentBytes,
    steps: async (run) => {
      // It may be gone through on what a cut of it has left, too.
      for (const channel of ["a", "b"]) if (run.engine.channel(channel) === undefined) await run.create(channel);
      for (let round = 0; round < 3; round += 1) {
        for (const count of [1, 2]) await run.produce("a", count, 24);
        await run.produce("b", 1, 500);
      }
      await run.trimAll("b");
      await run.produce("a", 1, 24);
      await run.pass(2500);
      await Promise.all([run.produce("a", 1, 40), run.produce("b", 1, 300)]);
      await run.reopen();
      await run.produce("a", 1, 40);
      await run.produce("b", 1, 500);
      await run.produce("a", 1, 40);
      const view = run.engine.channel("a");
      if (view !== undefined) await run.trim("a", view.beginId + 3n);
      await run.destroy("b");
      await run.pass(2500);
      await run.produce("a", 1, 40);
      await run.create("b");
      await run.produce("b", 1, 40);
    },
  };
}

/** Segments that are left for being mostly dead, once nothing is written any more: in the open that filled them, and in one that only looks. */
export function leftAlone(durability: Durability): EngineScript {
  return {
    name: `left alone (${durabilityName(durability)})`,
    durability,
    segmentBytes,
    steps: async (run) => {
      for (const channel of ["a", "b"]) if (run.engine.channel(channel) === undefined) await run.create(channel);
      for (const round of [1, 2]) {
        await run.produce("a", 1, 24);
        await run.produce("b", 1, 300);
        await run.produce("b", 1, 300);
        await run.trimAll("b");
        if (round === 2) await run.reopen();
        await run.pass(2500);
      }
      await run.look();
      await run.trimAll("a");
      await run.produce("b", 1, 700);
      await run.trimAll("b");
      await run.reopen();
      await run.pass(2500);
      await run.produce("a", 1, 24);
    },
  };
}

/** A disk that fills in the middle of everything, and has room again. */
export function fullDisk(room: number): EngineScript {
  return {
    name: `full disk, ${room} bytes left`,
    durability: "sync",
    segmentBytes,
    steps: async (run) => {
      await fill(run);
      run.leaveRoom(room);
      for (let round = 0; round < 4; round += 1) {
        await Promise.all([run.produce("a", 2, 150), run.produce("b", 1, 30), run.moveCursor("g", "b", 100 + round)]);
      }
      await run.produce("a", 1, 20);
      await run.look();
      if (!(await run.trimAll("a"))) throw new FaultFound("a full disk has no room for a trim");
      await run.reopen();
      run.leaveRoom(1e9);
      await run.produce("a", 2, 150);
      await run.produce("b", 1);
    },
  };
}

/**
 * A group of two frames of which only the first one is written, refused; then another group of the same shape in its place. The first frame
 * ends with a sector, so that a power cut may leave the first of the one beside the second of the other.
 */
export function partialGroups(): EngineScript {
  const [firstFrame, secondFrame] = [349, 400];
  return {
    name: "partial groups",
    durability: "sync",
    segmentBytes: 4096,
    steps: async (run) => {
      for (const channel of ["a", "b"]) await run.create(channel);
      await run.reopen();
      // The first write makes the segment's header, the second one is the group.
      run.fail({ op: "write", after: 1, code: "ENOSPC", path: /seg$/ });
      await Promise.all([run.produce("a", 1, firstFrame), run.produce("b", 1, secondFrame)]);
      await Promise.all([run.produce("a", 1, firstFrame), run.produce("b", 1, secondFrame)]);
      await run.reopen();
    },
  };
}

/** One operation fails, and the store is opened again. */
export function failing(op: "write" | "sync" | "syncDir" | "rename" | "open" | "unlink", after: number, path?: RegExp): EngineScript {
  return {
    name: `${op} ${after} fails`,
    durability: "sync",
    segmentBytes,
    steps: async (run) => {
      await run.create("a");
      await run.produce("a", 1);
      run.fail({ op, after, code: "EIO", path });
      await fill(run, true);
      await empty(run);
      await run.reopen();
      await run.produce("a", 1);
      await run.produce("b", 1, 600);
      await run.produce("a", 1, 600);
      await run.reopen();
    },
  };
}

async function fill(run: EngineRun, begun = false): Promise<void> {
  if (!begun) await run.create("a");
  await Promise.all([run.create("b"), run.create("c"), run.put("groups/g", "earliest")]);
  const first = await run.produce("a", 2);
  await Promise.all([run.produce("a", 1), run.produce("b", 3), run.produce("c", 2), run.produce("a", 2, 120)]);
  if (first !== undefined) await run.moveCursor("g", "a", first + 1n);
  for (let round = 0; round < 3; round += 1) await Promise.all([run.produce("b", 2, 150), run.produce("c", 1, 90)]);
  await run.moveCursor("g", "b", 7);
  await run.produce("a", 1, 700);
  await run.moveCursor("g", "b", 8);
}

async function empty(run: EngineRun): Promise<void> {
  const kept = await run.produce("b", 4, 60);
  if (kept !== undefined) await run.trim("b", kept + 2n);
  await Promise.all([run.destroy("c"), run.produce("b", 1), run.create("c"), run.produce("c", 2)]);
  await run.destroy("c");
  await run.create("c");
  await run.produce("c", 1, 300);
  await run.trimAll("a");
  await run.produce("a", 1, 500);
  await run.moveCursor("h", "a", 5);
  await run.produce("b", 1, 500);
}
