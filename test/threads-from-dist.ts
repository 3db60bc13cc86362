import type { Plugin } from "vite";

/**
 * Starts the log's thread from `dist/`, as the tests start child processes (docs/decisions/0004): it runs JavaScript, and beside the source of
 * whoever starts it there is none.
 */
export const threadsFromDist: Plugin = {
  name: "threads-from-dist",
  transform: (code, id) =>
    id.endsWith("/src/storage/segment/threaded-log-writer.ts")
      ? code.replace("./log-writer-thread.js", "../../../dist/storage/segment/log-writer-thread.js")
      : undefined,
};
