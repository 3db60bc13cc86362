import { describe, expect, it } from "vitest";
import { codeOf, importsOf, resolveImport } from "./imports.js";

describe("the reader of imports", () => {
  it("sees every form, types and dynamic ones included", () => {
    const text = `
      import { a } from "./a.js";
      import type { B } from "../b.js";
      import {
        type C,
        d,
      } from "./c/index.js";
      import "./effect.js";
      export { e } from "./e.js";
      export * from "./f.js";
      export type { G } from "./g.js";
      const h = await import("./h.js");
      type I = import("./i.js").I;
      import * as fs from "node:fs";
    `;

    expect(importsOf(text).sort()).toEqual(
      ["./a.js", "../b.js", "./c/index.js", "./effect.js", "./e.js", "./f.js", "./g.js", "./h.js", "./i.js", "node:fs"].sort(),
    );
  });

  it("is not taken in by comments", () => {
    const text = `
      // import { a } from "./a.js";
      /** import { b } from "./b.js"; Date.now() */
      const address = "http://127.0.0.1"; // Date.now()
    `;

    expect(importsOf(text)).toEqual([]);
    expect(codeOf(text)).not.toContain("Date.now");
    expect(codeOf(text)).toContain("http://127.0.0.1");
  });

  it("resolves what is relative and leaves packages alone", () => {
    expect(resolveImport("src/rocksmq/queue.ts", "../base/errors.js")).toBe("src/base/errors.ts");
    expect(resolveImport("src/rocksmq/queue.ts", "./cursor.js")).toBe("src/rocksmq/cursor.ts");
    expect(resolveImport("src/rocksmq/queue.ts", "node:fs")).toBeUndefined();
  });
});
