/**
 * How a command ends when it does not end well, and the one line that says so.
 *
 *     tidemark consume: there is no channel "ATL" in ./tidemark-data/queue; …
 *
 * What the library throws on purpose already says what, where and what to do. The system's own errors are put into words here.
 */
import { isTidemarkError } from "../base/errors.js";
import { systemCode } from "../base/system-error.js";
import { printable } from "./cell.js";

/** The call itself is wrong: exit code 2, and a pointer to the help. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The user, or whoever stops programs, asked it to end: exit code 130 after a clean close. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** Whoever read our stdout has gone (`| head`): nothing to say, exit code 0. */
export class ReaderGone extends Error {
  override readonly name = "ReaderGone";
}

/** What was asked for could not be done: exit code 1. The message says what, where and what to do. */
export class Failure extends Error {
  override readonly name = "Failure";
}

/** 0 done (or nobody reads on), 1 failed, 2 wrong usage, 130 interrupted. */
export function exitCodeOf(error: unknown): 0 | 1 | 2 | 130 {
  if (error instanceof ReaderGone) return 0;
  if (error instanceof Interrupted) return 130;
  return error instanceof UsageError || isTidemarkError(error, "invalid-argument") ? 2 : 1;
}

/** One line, without control characters, whatever the error holds. */
export function sentenceOf(error: unknown): string {
  const text = error instanceof Error ? (systemSentence(error) ?? error.message) : String(error);
  return printable(text.replaceAll(/\s*[\r\n]+\s*/g, " "));
}

/** The stack with all causes, as `--verbose` shows it. */
export function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? error.message;
  return error.cause === undefined ? own : `${own}\ncaused by: ${stackOf(error.cause)}`;
}

/** What the system's codes mean to a person; undefined for errors that are not the system's. */
function systemSentence(error: Error): string | undefined {
  const code = systemCode(error);
  const path = textIn(error, "path");
  const syscall = textIn(error, "syscall");
  const where = path === undefined ? "" : ` ${path}`;
  if (isTidemarkError(error) || code === undefined) return undefined;
  switch (code) {
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return `no permission for${where || " what it needs"}: choose another place, or another user`;
    case "ENOSPC":
    case "EDQUOT":
      return `no space left on the disk${where && ` of${where}`}: free some, then try again`;
    case "ENOENT":
      if (syscall === "mkdir" || syscall === "mkdtemp") return `can't make${where}: name another place`;
      return `there is no ${path === undefined ? "such file" : `"${path}"`}: check the path`;
    case "ENOTDIR":
      return `a part of${where || " the path"} is not a directory: check the path`;
    default:
      return undefined;
  }
}

/** A further text that the system gave with an error. */
function textIn(error: Error, field: string): string | undefined {
  const value: unknown = Reflect.get(error, field);
  return typeof value === "string" ? value : undefined;
}
