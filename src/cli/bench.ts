/** `tidemark bench`: measures this machine, with the ceilings beside the claims. */
import { statfs } from "node:fs/promises";
import { resolve } from "node:path";
import { claimNames } from "./bench-rows.js";
import type { BenchReport, BenchSize } from "../bench/index.js";
import { oneOf, type Arguments } from "./arguments.js";
import type { Command } from "./command.js";
import { Failure, UsageError } from "./failure.js";
import { bytes } from "./figures.js";
import { json } from "./json.js";
import { jsonOption } from "./option.js";
import { Progress } from "./progress.js";
import { temporaryFolder } from "./tour/folder.js";

/** At any one time; much more is written in all. */
const neededBytes: Readonly<Record<BenchSize, number>> = { quick: 1_500_000_000, usual: 3_000_000_000, full: 4_000_000_000 };

/** `tidemark bench`. */
export const benchCommand: Command = {
  words: "bench",
  operands: [],
  options: {
    dir: { value: "D", help: "a folder on the disk to measure; default the system's for temporary files" },
    only: { value: "R[,R…]", help: "only these of the rows named below" },
    quick: { help: "half a minute, to see that it works; its figures are rough" },
    full: { help: "also reopen with ten million messages" },
    ...jsonOption,
  },
  about: "measure speed beside what this disk can do",
  notes: [
    `Rows: ${claimNames.slice(0, 6).join(", ")},`,
    `${claimNames.slice(6).join(", ")}.`,
    "",
    "Some minutes. The folder gets a scratch folder, gone at the end.",
    "Ceilings are bare write + fdatasync of the same bytes, measured in turns with ours. Rows are medians",
    "of rounds. Redis Streams are measured beside ours when redis-server is on the PATH.",
    "A row that is missed is no failure: the exit code is 0.",
  ],
  run: async (args, { stdout, stderr, signal, clock }) => {
    const chosen = chooseClaims(args.text("only"));
    const size = chooseSize(args);
    const folder = await chooseFolder(args.text("dir"), size);
    const progress = new Progress(stderr, clock);
    const onProgress = (text: string): void => {
      // A terminal that is gone is no reason to stop.
      progress.show(() => text).catch(() => undefined);
    };
    // Only here: what is measured takes a fifth of a second to load.
    const [{ claims, runBench }, { benchLines }] = await Promise.all([import("../bench/index.js"), import("./bench-text.js")]);
    const wanted = claims.filter(({ name }) => chosen.includes(name));
    let report: BenchReport;
    try {
      report = await runBench({ claims: wanted, size, folder, clock, signal, onProgress });
    } finally {
      await progress.clear();
    }
    await stdout.lines(args.flag("json") ? [json(report)] : benchLines(report, stdout, stdout.tableColumns));
  },
};

function chooseClaims(only: string | undefined): readonly string[] {
  if (only === undefined) return claimNames;
  const wanted = only.split(",");
  const unknown = wanted.find((wish) => !claimNames.some((name) => name === wish));
  if (unknown !== undefined) throw new UsageError(`--only is ${oneOf(claimNames)}, not "${unknown}"`);
  return wanted;
}

function chooseSize(args: Arguments): BenchSize {
  if (args.flag("quick") && args.flag("full")) throw new UsageError("--quick and --full don't go together");
  return args.flag("quick") ? "quick" : args.flag("full") ? "full" : "usual";
}

async function chooseFolder(wanted: string | undefined, size: BenchSize): Promise<string> {
  const folder = wanted === undefined ? await temporaryFolder() : resolve(wanted);
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= neededBytes[size]) return folder;
  throw new Failure(
    `${folder} has ${bytes(bavail * bsize)} free and the benchmarks want ${bytes(neededBytes[size])}: name another place with --dir`,
  );
}
