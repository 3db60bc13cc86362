/**
 * Every scenario of this folder, as it stands: what is written is what comes out.
 */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { rerun } from "./scenario.js";

const folder = new URL(".", import.meta.url);

describe("scenarios of the aligner", () => {
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".txt"))) {
    it(`${name.replace(/\.txt$/, "").replaceAll("-", " ")}`, () => {
      const text = readFileSync(new URL(name, folder), "utf8");

      expect(rerun(text)).toBe(text);
    });
  }
});
