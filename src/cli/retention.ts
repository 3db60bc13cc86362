/** What the options of `channel create` and `channel alter` say of retention, and how one is shown. */
import type { Retention } from "../rocksmq/index.js";
import { parseAge, parseSize } from "./amount.js";
import type { Arguments } from "./arguments.js";
import { UsageError } from "./failure.js";
import { age, bytes } from "./figures.js";
import type { Options } from "./option.js";

/** Options of both commands. */
export const retentionOptions: Options = {
  "retention-age": { value: "AGE", help: "remove messages older than this, as in 7d; none: never" },
  "retention-bytes": { value: "SIZE", help: "remove the oldest beyond this size, as in 1GiB; none: never" },
};

/** Bounds that an option names; null: it says that there is none. */
interface Wish {
  readonly ageMs?: number | null;
  readonly bytes?: number | null;
}

/** The retention of a new channel; undefined when the options say nothing of it. */
export function retentionIn(args: Arguments): Retention | undefined {
  const wish = wishIn(args);
  return wish && applied({}, wish);
}

/** The retention that a channel had, with what the options change of it. @throws `UsageError` when they change nothing */
export function retentionAfter(before: Retention, args: Arguments): Retention {
  const wish = wishIn(args);
  if (wish === undefined) throw new UsageError("say what to change: --retention-age, --retention-bytes or both");
  return applied(before, wish);
}

/** Its bounds as facts for people; none when everything stays. */
export function retentionFacts({ ageMs, bytes: size }: Retention): [string, string][] {
  const facts: [string, string][] = [];
  if (ageMs !== undefined) facts.push(["keeps for", age(ageMs)]);
  if (size !== undefined) facts.push(["keeps at most", bytes(size)]);
  return facts;
}

/** The same in one cell of a table. */
export function retentionCell(retention: Retention): string {
  const bounds = retentionFacts(retention).map(([, bound]) => bound);
  return bounds.length === 0 ? "everything" : bounds.join(", ");
}

function wishIn(args: Arguments): Wish | undefined {
  const [age, size] = [args.text("retention-age"), args.text("retention-bytes")];
  if (age === undefined && size === undefined) return undefined;
  return {
    ...(age === undefined ? {} : { ageMs: age === "none" ? null : parseAge("retention-age", age) }),
    ...(size === undefined ? {} : { bytes: size === "none" ? null : parseSize("retention-bytes", size) }),
  };
}

function applied({ ageMs, bytes: size, ...rest }: Retention, wish: Wish): Retention {
  const [age, most] = [wish.ageMs === undefined ? ageMs : wish.ageMs, wish.bytes === undefined ? size : wish.bytes];
  return {
    ...rest,
    ...(age === null || age === undefined ? {} : { ageMs: age }),
    ...(most === null || most === undefined ? {} : { bytes: most }),
  };
}
