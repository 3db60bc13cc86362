/** Amounts as people write them: a number and its unit. */
import { UsageError } from "./failure.js";

const seconds = { ms: 0.001, s: 1, min: 60, h: 3600, d: 86_400, w: 604_800 } as const;
const sizes = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 } as const;

/** "7d" → 604800000 ms. @param name of the option, for the error */
export function parseAge(name: string, text: string): number {
  return amount(name, text, seconds, { some: "7d", nothing: "0s" }) * 1000;
}

/** "1GiB" → 1073741824. @param name of the option, for the error */
export function parseSize(name: string, text: string): number {
  return amount(name, text, sizes, { some: "1GiB", nothing: "0B" });
}

interface Example {
  readonly some: string;
  /** Zero has a unit too, so that nobody who means "no bound" loses everything by it. */
  readonly nothing: string;
}

function amount(name: string, text: string, units: Readonly<Record<string, number>>, { some, nothing }: Example): number {
  const [, figure = "", unit = ""] = /^(\d{1,12}(?:\.\d{1,3})?)([a-zA-Z]+)$/.exec(text) ?? [];
  const scale = Object.hasOwn(units, unit) ? units[unit] : undefined;
  if (scale !== undefined) return Math.round(Number(figure) * scale * 1000) / 1000;
  const kinds = Object.keys(units).join(", ");
  const advice = Number(text) === 0 ? `; none for no bound, ${nothing} to keep nothing` : "; none for no bound";
  throw new UsageError(`--${name} is a number and a unit (${kinds}), as in ${some}${advice}; not "${text}"`);
}
