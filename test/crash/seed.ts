/** The seed of a random test: `SEED=` to run one again. */
export function seedOf(usual: number): number {
  const given = process.env["SEED"];
  return given === undefined ? usual : Number(given);
}

/** Tells the figures of an exploration. */
export function tell(what: string, figures: object): void {
  process.stdout.write(`${what}: ${JSON.stringify(figures)}\n`);
}
