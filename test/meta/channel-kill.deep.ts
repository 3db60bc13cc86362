import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { openChannelService, openEmbeddedMeta } from "../../src/meta/index.js";
import { openRocksMq } from "../../src/rocksmq/index.js";
import { SeededRandom } from "../../src/testing/seeded-random.js";
import { seedOf, tell } from "../crash/seed.js";
import { Books } from "./channel-lives.js";

const program = fileURLToPath(new URL("programs/channels.mjs", import.meta.url));

/** Runs the program until it has killed itself. */
async function lifeOf(books: Books, dir: string, random: SeededRandom): Promise<boolean> {
  const [lines, turns] = [random.below(12), random.below(2_000)];
  const child = spawn(process.execPath, [program, dir, String(lines), String(turns)], { stdio: ["ignore", "pipe", "inherit"] });
  const gone = once(child, "exit");
  let hasOpened = false;
  for await (const line of createInterface({ input: child.stdout })) {
    hasOpened ||= line === "open";
    books.note(line);
  }
  await gone;
  expect(child.signalCode).toBe("SIGKILL");
  return hasOpened;
}

it("a channel service killed by SIGKILL sixty times on a real disk has done all of every call or nothing", async () => {
  const dir = mkdtempSync(join(tmpdir(), "tidemark-channels-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const seed = seedOf(1);
  const random = new SeededRandom(seed);
  const books = new Books();
  const figures = { seed, kills: 0, inOpening: 0, inCreates: 0, inDestroys: 0 };

  while (figures.kills < 60) {
    if (!(await lifeOf(books, dir, random))) figures.inOpening += 1;
    if (books.coming > 0) figures.inCreates += 1;
    if (books.going.length > 0) figures.inDestroys += 1;
    const meta = await openEmbeddedMeta({ dir: join(dir, "meta") });
    const mq = await openRocksMq({ dir: join(dir, "queue") });
    const service = await openChannelService({ meta, store: mq });
    expect(await books.faults({ service, mq }), `kill ${figures.kills}`).toEqual([]);
    books.settle((await service.describeChannels({ channelNames: [] })).descriptions.map(({ channelName }) => channelName));
    await service.close();
    await mq.close();
    await meta.close();
    figures.kills += 1;
  }

  tell("channel service", figures);
  expect(Math.min(figures.inOpening, figures.inCreates, figures.inDestroys)).toBeGreaterThan(0);
});
