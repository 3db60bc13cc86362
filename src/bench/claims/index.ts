/** Every claim of speed that there is, in the order in which they are measured and shown. */
import type { Claim } from "../claim.js";
import { bytes } from "./bytes-written.js";
import { codec } from "./codec.js";
import { compaction } from "./compaction.js";
import { consume } from "./consume.js";
import { durableProduce } from "./durable-produce.js";
import { idleChannels } from "./idle-channels.js";
import { memory } from "./memory.js";
import { redisStreams } from "./redis-streams.js";
import { reopen } from "./reopen.js";
import { rocksDbEngine } from "./rocksdb-engine.js";
import { spaceBack } from "./space-back.js";
import { streams } from "./streams.js";
import { wakeUp } from "./wake-up.js";

/** By the names that `--only` takes. */
export const claims: readonly Claim[] = [
  ...durableProduce,
  rocksDbEngine,
  redisStreams,
  wakeUp,
  consume,
  bytes,
  spaceBack,
  compaction,
  reopen,
  streams,
  memory,
  idleChannels,
  codec,
];
