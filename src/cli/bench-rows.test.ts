import { expect, it } from "vitest";
import { claimNames } from "./bench-rows.js";
import { claims } from "../bench/index.js";

it("the names are those of the claims, in their order", () => {
  expect(claims.map(({ name }) => name)).toEqual([...claimNames]);
});
