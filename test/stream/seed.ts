/** The seed of a random test: `SEED=` runs one again. */
export function seedOr(usual: number): number {
  return Number(process.env["SEED"] ?? usual);
}
