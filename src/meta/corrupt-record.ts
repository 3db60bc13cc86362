import { TidemarkError } from "../base/errors.js";

/** A value under a key of ours that is not what we write there. Somebody else wrote it, or it is damaged: nothing is made of it. */
export function corruptRecord(key: string, what: string, cause?: unknown): TidemarkError<"corrupt"> {
  const text = `the value of the key ${JSON.stringify(key)} in the metadata is not ${what}: another program has written it, or it is damaged`;
  return new TidemarkError("corrupt", text, { file: key, offset: 0 }, { cause });
}
