import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { root } from "../layers/imports.js";

describe("the report of the public API", () => {
  it.each(["rocksmq", "message", "msgstream", "meta", "testing"])(
    "is that of tidemark/%s as it is: `npm run api` after a change of a door, so that it shows in review",
    (door) => {
      const { status, stdout } = spawnSync(
        process.execPath,
        ["node_modules/@microsoft/api-extractor/bin/api-extractor", "run", "-c", `tools/api-${door}.json`],
        {
          cwd: root,
          encoding: "utf8",
          timeout: 120_000,
        },
      );

      expect(stdout).toContain("API Extractor completed successfully");
      expect(status).toBe(0);
    },
  );
});
