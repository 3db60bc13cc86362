/** `tidemark stream`: many channels as one stream. */
import type { Command } from "../command.js";
import { streamProduceCommand } from "./produce-command.js";
import { streamTailCommand } from "./tail-command.js";

/** In the order in which a newcomer needs them. */
export const streamCommands: readonly Command[] = [streamProduceCommand, streamTailCommand];
