/**
 * Every flip of a bit in a store's segments, or a sample of them, and what the store makes of it.
 */
import { inspectSegmentStore } from "../../src/storage/index.js";
import { flipBit, judge, segmentsOf, type Specimen } from "./damaged-store.js";
import { FaultFound } from "./fault-found.js";

/** What became of the flips. */
export interface FlipFigures {
  flips: number;
  /** `corrupt`, with the file and a place at or before the flip. */
  reported: number;
  /** In bytes that nobody who opens and reads has to look at; a thorough inspection finds it. */
  harmless: number;
  /** At or behind the last place that a surviving record proves durable, after an unclean stop: can't be told from it. */
  untellable: number;
}

/** Flips one bit in every `stride`th byte of every segment; the bit changes from byte to byte. */
export async function flipBits(specimen: Specimen, stride: number): Promise<FlipFigures> {
  const figures: FlipFigures = { flips: 0, reported: 0, harmless: 0, untellable: 0 };
  for (const path of segmentsOf(specimen)) {
    const { length } = specimen.disk.fileBytes(path);
    for (let byte = figures.flips % stride; byte < length; byte += stride) {
      figures.flips += 1;
      await flipOne({ specimen, path, byte, figures });
    }
  }
  return figures;
}

async function flipOne(flip: { specimen: Specimen; path: string; byte: number; figures: FlipFigures }): Promise<void> {
  const { specimen, path, byte, figures } = flip;
  const bit = byte * 8 + ((byte * 5 + 3) % 8);
  const verdict = await judge(specimen, (disk) => flipBit(disk, path, bit));
  const where = `bit ${bit & 7} of byte ${byte} of ${path}`;
  if (isUntellable(specimen, path, byte)) {
    figures.untellable += 1;
    return;
  }
  if (verdict.kind === "silent") throw new FaultFound(`${where} was flipped, and nobody said so:\n${verdict.state}`);
  if (verdict.kind === "reported" && (verdict.file !== path || verdict.offset > byte)) {
    throw new FaultFound(`${where} was flipped, and blamed were ${verdict.file} and ${verdict.offset}: ${verdict.message}`);
  }
  figures[verdict.kind] += 1;
  await assertInspected(specimen, path, bit, where);
}

async function assertInspected(specimen: Specimen, path: string, bit: number, where: string): Promise<void> {
  const disk = specimen.disk.kill();
  flipBit(disk, path, bit);
  const { problems } = await inspectSegmentStore(disk, "store", { verify: true });
  if (!problems.some((problem) => problem.file === path && problem.offset <= bit >> 3)) {
    throw new FaultFound(`${where} was flipped, and a thorough inspection found ${JSON.stringify(problems)}`);
  }
}

/** After a kill: the last group, which no later record speaks of. */
function isUntellable({ disk, lastGroup }: Specimen, path: string, byte: number): boolean {
  return lastGroup !== undefined && path === lastGroup.path && byte >= lastGroup.offset && byte < disk.fileBytes(path).length;
}
