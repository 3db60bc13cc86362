/** The names of the claims, for whoever only wants to name them: the claims themselves load everything that they measure. */
export const claimNames = [
  "one-producer",
  "64-producers",
  "1024-producers",
  "small-messages",
  "rocksdb",
  "redis",
  "wake-up",
  "consume",
  "bytes-written",
  "space-back",
  "compaction",
  "reopen",
  "streams",
  "memory",
  "idle-channels",
  "codec",
] as const;
