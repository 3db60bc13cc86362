import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { isTooOld, oldestNode } from "./node-version.js";

it("is the version that the package asks for", () => {
  const { engines } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { engines: { node: string } };

  expect(engines.node).toBe(`>=${oldestNode}`);
});

it("tells older ones from newer ones", () => {
  for (const old of ["18.20.8", "20.9.0", "20.19.3", "9.99.99"]) expect(isTooOld(old)).toBe(true);
  for (const good of ["20.19.4", "20.19.10", "20.20.0", "22.0.0", "24.1.0-pre"]) expect(isTooOld(good)).toBe(false);
});
