/** Orders of many values: what is shown instead of a mean, since what else a machine does only ever makes things slower. */

/** The middle value; of an even number the lower of the two in the middle. NaN of none. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below or at which this share of all lies. NaN of none. */
export function quantile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}
