/**
 * What channels and groups may be called.
 *
 *     channel   1–255 bytes of UTF-8, no NUL, no "/"
 *     group     the same, and "/" is fine
 */
import { isWellFormed } from "../base/well-formed.js";
import { invalid } from "./arguments.js";

/** The longest name, in bytes of UTF-8. */
const longestName = 255;

/** @throws `invalid-argument` unless `name` may be a channel's */
export function checkChannelName(argument: string, name: unknown): asserts name is string {
  checkName(argument, name);
  if (name.includes("/")) throw invalid(argument, 'a channel name without "/"', name);
}

/** @throws `invalid-argument` unless `name` may be a group's */
export function checkGroupName(argument: string, name: unknown): asserts name is string {
  checkName(argument, name);
}

function checkName(argument: string, name: unknown): asserts name is string {
  if (typeof name !== "string") throw invalid(argument, "a name", name);
  if (name === "") throw invalid(argument, "a name of at least 1 byte", name);
  if (name.includes("\0")) throw invalid(argument, "a name without NUL", name);
  if (!isWellFormed(name)) throw invalid(argument, "a name in well-formed Unicode (it has a lone surrogate)", name);
  const bytes = Buffer.byteLength(name);
  if (bytes > longestName) throw invalid(argument, `a name of at most ${longestName} bytes (it has ${bytes})`, name);
}
