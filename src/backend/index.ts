/**
 * The log SPI and its implementations: what streams and the write-ahead log stand on.
 */
export {
  type LogBackend,
  logBackend,
  type LogReader,
  type LogReaderOptions,
  type LogRecord,
  type LogWriter,
  type ReadStart,
  type ResumePoint,
} from "./log-backend.js";
export { checkChannelName, checkName } from "./arguments.js";
export { type BackendManifest, type ExemptibleLaw, exemptibleLaws } from "./manifest.js";
export { MemoryBackend } from "./memory/index.js";
export { RocksMqBackend } from "./rocksmq/index.js";
