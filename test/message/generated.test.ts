import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../layers/imports.js";

/** Path → text of every generated file below. */
function generatedBelow(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

describe("the generated protobuf code", () => {
  it("is that of proto/ as it is: `npm run generate` after a change there", () => {
    const fresh = mkdtempSync(join(tmpdir(), "tidemark-generate-"));
    try {
      const { status, stderr } = spawnSync(process.execPath, ["node_modules/@bufbuild/buf/bin/buf", "generate", "--output", fresh], {
        cwd: root,
        encoding: "utf8",
        timeout: 60_000,
      });

      expect(stderr).toBe("");
      expect(status).toBe(0);
      expect(generatedBelow(join(fresh, "src/message/gen"))).toEqual(generatedBelow(join(root, "src/message/gen")));
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
  }, 90_000);
});
