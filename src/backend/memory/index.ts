export { MemoryBackend, memoryManifest } from "./memory-backend.js";
