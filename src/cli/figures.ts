/** Figures as people read them. Decimal units: 1 MB is 1,000,000 bytes. */

/** 1234567 → "1,234,567". */
export function count(n: number | bigint): string {
  return (typeof n === "bigint" ? n : Math.round(n)).toLocaleString("en-US");
}

/** "1 message", "2,000 messages". */
export function counted(n: number | bigint, noun: string): string {
  return `${count(n)} ${noun}${BigInt(n) === 1n ? "" : "s"}`;
}

/** 27400000 → "27.4 MB". */
export function bytes(n: number | bigint): string {
  const size = Number(n);
  if (size < 1000) return `${size} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let unit = 0;
  let scaled = size / 1000;
  // 999.95 would be shown as 1000.0.
  while (scaled >= 999.95 && unit < units.length - 1) {
    scaled /= 1000;
    unit += 1;
  }
  return `${scaled.toFixed(1)} ${units[unit] ?? ""}`;
}

/** 0.4 → "0.4 ms", 31.2 → "31 ms", 1250 → "1.3 s". */
export function duration(ms: number): string {
  if (ms < 9.95) return `${ms.toFixed(1)} ms`;
  return ms < 999.5 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** 604800000 → "7 d": in the largest unit that it is a whole number of, so that nothing is lost. */
export function age(ms: number): string {
  const units = { d: 86_400_000, h: 3_600_000, min: 60_000, s: 1000 };
  const [unit, scale] = Object.entries(units).find(([, one]) => ms >= one && ms % one === 0) ?? ["ms", 1];
  return `${count(ms / scale)} ${unit}`;
}

/** Three significant digits at most: a rate is never known better. 171234 → "171,000". */
export function rate(perSecond: number): string {
  return count(perSecond < 1 ? perSecond : Number(perSecond.toPrecision(3)));
}

/** ISO 8601 in UTC, with milliseconds. */
export function time(ms: number): string {
  return new Date(ms).toISOString();
}
