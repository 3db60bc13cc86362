/**
 * `tidemark tour`: what the queue does, on real data, in half a minute.
 *
 *     write ─▶ read ─▶ kill ─▶ shrink ─▶ join        each step prints what a sceptic would measure
 *
 * The steps are in tour/; this file gives them a folder, the data and an open queue, and says at the end where everything is.
 */
import type { Command, Context } from "./command.js";
import { Failure, ReaderGone, sentenceOf } from "./failure.js";
import { count, duration } from "./figures.js";
import type { Options } from "./option.js";
import { chooseFolder, isInMemory } from "./tour/folder.js";
import { airports, loadFlights } from "./tour/flights.js";
import { killStep } from "./tour/kill-step.js";
import { Load } from "./tour/load.js";
import { readStep } from "./tour/read-step.js";
import { shrinkStep } from "./tour/shrink-step.js";
import { Stage } from "./stage.js";
import { openTourQueue, type Setting } from "./tour/tour-setting.js";
import { writeStep } from "./tour/write-step.js";

/** The payload bytes of step 1. */
const loadBytes = 20_000_000;

const options: Options = {
  dir: { value: "D", help: "a folder that is not there yet, or empty; default a new temporary one. It stays" },
};

/** `tidemark tour`. */
export const tourCommand: Command = {
  words: "tour",
  operands: [],
  options,
  about: "see it work on real data, in half a minute",
  run: async (args, context) => {
    const wanted = args.text("dir");
    const folder = await chooseFolder(wanted);
    try {
      await runTour(folder, context);
    } catch (error) {
      if (wanted !== undefined || error instanceof ReaderGone) throw error;
      // Nobody else knows where it is.
      if (!context.signal.aborted) throw new Failure(`${sentenceOf(error)} (what was written is in ${folder})`, { cause: error });
      await context.stderr.lines([`interrupted: what was written is in ${folder}`]);
      throw error;
    }
  },
};

async function runTour(folder: string, { stdout, clock, signal }: Context): Promise<void> {
  const stage = new Stage(stdout, clock);
  const startedAt = clock.monotonicMs();
  await stage.line(`${stdout.bold("tidemark tour")}    a durable log in half a minute`);
  const flights = loadFlights();
  const load = new Load(flights, loadBytes);
  await stage.line(`data: ${count(flights.perPass)} flights from ${airports.join(", ")}, 1 to 7 January 2001 (US Bureau of`);
  await stage.line(`Transportation Statistics), in the package; ${load.passes} passes, each dated a week later`);
  if (await isInMemory(folder))
    await stage.line(`note: ${folder} is in memory; name a folder on a disk with --dir for figures that mean something`);

  await runSteps({ folder, flights, stage, clock, signal }, load);

  await stage.line();
  await stage.line(`${duration(clock.monotonicMs() - startedAt)} in all. Yours to delete, and to look around in:`);
  const path = shellWord(folder);
  for (const words of [`channel ls           --dir ${path}`, `consume ATL --max 5  --dir ${path}`, `inspect --verify     ${path}`]) {
    await stage.line(`   npx tidemark ${words}`);
  }
}

/** As a shell takes it for one word. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

async function runSteps(setting: Setting, load: Load): Promise<void> {
  let mq = await openTourQueue(setting.folder);
  try {
    const written = await writeStep(mq, load, setting);
    const groups = await readStep(mq, load, written, setting);
    mq = await killStep(mq, setting);
    await shrinkStep(mq, groups, setting);
    // Only here: messages and streams take a fifth of a second to load.
    const { joinStep } = await import("./tour/join-step.js");
    await joinStep(mq, setting);
  } catch (error) {
    // What went wrong first is the news; closing twice is closing once.
    await mq.close().catch(() => undefined);
    throw error;
  }
  await mq.close();
}
