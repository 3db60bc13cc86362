/** How `channel create` and `group create` end. */
import { isTidemarkError } from "../rocksmq/index.js";
import type { Arguments } from "./arguments.js";
import { Failure } from "./failure.js";

/**
 * Whether it is new. One that was there is good with `--if-not-exists`.
 *
 * @throws `Failure` else, with the advice of the command line and not of the API
 */
export async function isNew(creation: Promise<void>, args: Arguments): Promise<boolean> {
  try {
    await creation;
    return true;
  } catch (error) {
    if (!isTidemarkError(error, "channel-exists") && !isTidemarkError(error, "group-exists")) throw error;
    if (args.flag("if-not-exists")) return false;
    throw new Failure(`"${args.operand("name")}" is there already: with --if-not-exists that is no error`, { cause: error });
  }
}

/** The same for people. */
export function createdLine(name: string, created: boolean): string {
  return created ? `created ${name}` : `${name} was there already`;
}
