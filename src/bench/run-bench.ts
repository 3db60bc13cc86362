/** A run: the claims one after the other, each in its own part of the scratch folder, and what the machine was like meanwhile. */
import type { Clock } from "../base/clock.js";
import type { BenchSize, Claim, Setting } from "./claim.js";
import type { Figure } from "./figure.js";
import { describeMachine, load, type Machine } from "./machine.js";
import { Scratch } from "./scratch.js";

/** What is to be measured, and where. */
export interface BenchOptions {
  readonly claims: readonly Claim[];
  readonly size: BenchSize;
  /** On the disk that is to be measured; a scratch folder is made in it, and removed. */
  readonly folder: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called as the run goes on. */
  readonly onProgress?: ((text: string) => void) | undefined;
}

/** What came of one claim. */
export interface ClaimReport {
  readonly name: string;
  readonly about: string;
  readonly figures: readonly Figure[];
  /** Why there are none. */
  readonly skipped?: string | undefined;
  readonly ms: number;
}

/** What came of a run. */
export interface BenchReport {
  readonly size: BenchSize;
  readonly machine: Machine;
  readonly claims: readonly ClaimReport[];
  readonly ms: number;
}

/** Resolves with the report, the scratch folder gone. @throws `signal.reason` */
export async function runBench(options: BenchOptions): Promise<BenchReport> {
  const { clock, size, folder } = options;
  const startedAt = clock.monotonicMs();
  const machine = await describeMachine(folder);
  const scratch = await Scratch.open(folder);
  try {
    const reports: ClaimReport[] = [];
    for (const claim of options.claims) reports.push(await runClaim(claim, { ...options, scratch }));
    return { size, machine: { ...machine, loadAfter: load() }, claims: reports, ms: clock.monotonicMs() - startedAt };
  } finally {
    await scratch.remove();
  }
}

async function runClaim(claim: Claim, options: BenchOptions & { readonly scratch: Scratch }): Promise<ClaimReport> {
  const { clock, signal, size, scratch, onProgress } = options;
  signal.throwIfAborted();
  onProgress?.(claim.about);
  const setting: Setting = { size, scratch, clock, signal, note: (text) => onProgress?.(text) };
  const startedAt = clock.monotonicMs();
  const outcome = await claim.run(setting);
  const { name, about } = claim;
  const ms = clock.monotonicMs() - startedAt;
  return "skipped" in outcome ? { name, about, figures: [], skipped: outcome.skipped, ms } : { name, about, figures: outcome, ms };
}
