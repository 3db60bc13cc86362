/**
 * Rounds of processes that race for one directory's lock, some of which kill themselves in the middle of it.
 *
 *     try at once ─▶ answers ─▶ the doomed are gone ─▶ at most one holds ─▶ it lets go, or is killed ─▶ free at once
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NodeVfs } from "../../src/base/node-vfs.js";
import { SeededRandom } from "../../src/testing/seeded-random.js";
import { LockContender } from "./lock-contender.js";

/** What came of the rounds. All but `broken` says that they tried what they should. */
export interface LockRoundsReport {
  /** Each way in which the lock was seen to fail, with its round. */
  readonly broken: readonly string[];
  readonly taken: number;
  readonly turnedAway: number;
  readonly killedWhileTrying: number;
  readonly killedAfterwards: number;
  /** Files left in the directory at the end. */
  readonly left: readonly string[];
}

/** Runs `rounds` rounds among `contenders` processes. */
export async function runLockRounds(options: { rounds: number; contenders: number; seed: number }): Promise<LockRoundsReport> {
  const rounds = new LockRounds(options.contenders, options.seed);
  try {
    for (let round = 1; round <= options.rounds; round++) await rounds.run(round);
    return rounds.report();
  } finally {
    await rounds.end();
  }
}

class LockRounds {
  readonly #dir = mkdtempSync(join(tmpdir(), "tidemark-lock-"));
  readonly #disk = new NodeVfs();
  readonly #random: SeededRandom;
  readonly #contenders: LockContender[];
  readonly #broken: string[] = [];
  #round = 0;
  #taken = 0;
  #turnedAway = 0;
  #killedWhileTrying = 0;
  #killedAfterwards = 0;

  constructor(contenders: number, seed: number) {
    this.#random = new SeededRandom(seed);
    this.#contenders = Array.from({ length: contenders }, () => new LockContender(this.#dir));
  }

  async run(round: number): Promise<void> {
    this.#round = round;
    const doomed = new Set(this.#contenders.filter(() => this.#random.chance(0.25)));
    const answers = await Promise.all(this.#contenders.map((one) => one.try(doomed.has(one) ? this.#doom() : {})));
    await Promise.all([...doomed].map((one) => one.gone));

    const holders = this.#contenders.filter((one, i) => answers[i] === "held" && !doomed.has(one));
    this.#count(answers);
    this.#judge(answers, holders, doomed);
    for (const holder of holders) await this.#endHold(holder, doomed);
    await this.#takeAtOnce();
    for (const [i, one] of this.#contenders.entries()) if (doomed.has(one)) this.#contenders[i] = new LockContender(this.#dir);
  }

  report(): LockRoundsReport {
    return {
      broken: this.#broken,
      taken: this.#taken,
      turnedAway: this.#turnedAway,
      killedWhileTrying: this.#killedWhileTrying,
      killedAfterwards: this.#killedAfterwards,
      left: readdirSync(this.#dir),
    };
  }

  async end(): Promise<void> {
    await Promise.all(this.#contenders.map((one) => one.kill()));
    rmSync(this.#dir, { recursive: true });
  }

  /** Anywhere from before the first call to long after the last. */
  #doom(): { killAfterTurns: number } {
    return { killAfterTurns: this.#random.below(2 ** this.#random.below(12)) };
  }

  #count(answers: readonly (string | undefined)[]): void {
    this.#killedWhileTrying += answers.filter((answer) => answer === undefined).length;
    this.#taken += answers.filter((answer) => answer === "held").length;
    this.#turnedAway += answers.filter((answer) => answer?.startsWith("locked ") === true).length;
  }

  #judge(answers: readonly (string | undefined)[], holders: readonly LockContender[], doomed: ReadonlySet<LockContender>): void {
    if (holders.length > 1) this.#fault(`${holders.length} hold it at once`);
    if (doomed.size === 0 && holders.length === 0) this.#fault(`nobody got it: ${answers.join(", ")}`);
    const possible = doomed.size === 0 ? holders : this.#contenders;
    const allowed = new Set(["held", undefined, ...possible.map(({ pid }) => `locked ${pid}`)]);
    for (const answer of answers) if (!allowed.has(answer)) this.#fault(`somebody was told "${answer}"`);
  }

  async #endHold(holder: LockContender, doomed: Set<LockContender>): Promise<void> {
    const named = await this.#disk.lockHolder(this.#dir);
    if (named !== holder.pid) this.#fault(`${holder.pid} holds it and ${named} is named`);
    if (this.#random.chance(0.5)) return holder.release();
    await holder.kill();
    doomed.add(holder);
    this.#killedAfterwards++;
  }

  async #takeAtOnce(): Promise<void> {
    try {
      const lock = await this.#disk.lock(this.#dir);
      await lock.release();
    } catch (error) {
      this.#fault(`it is not free when all are gone: ${String(error)}`);
    }
  }

  #fault(what: string): void {
    this.#broken.push(`round ${this.#round}: ${what}`);
  }
}
