/** Where a command reads from: standard input, or a file. */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { Context } from "./command.js";
import { Failure } from "./failure.js";

/** @param file a path, or - for standard input. @throws `Failure` for what can't be read and let go of */
export async function openInput(
  file: string,
  context: Pick<Context, "stdin">,
): Promise<{ readonly input: Readable; readonly source: string }> {
  if (file === "-") return { input: context.stdin(), source: "standard input" };
  const kind = await stat(file);
  // A read of a pipe by its name can't be taken back: an interrupt would wait for its other end.
  if (kind.isFIFO() || kind.isSocket()) throw new Failure(`${file} is a pipe: give it as standard input, "… < ${file}"`);
  if (kind.isDirectory()) throw new Failure(`${file} is a directory: name a file`);
  return { input: createReadStream(file, { highWaterMark: 1 << 20 }), source: file };
}
