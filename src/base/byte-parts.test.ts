import * as fc from "fast-check";
import { expect, it } from "vitest";
import { withoutFirst } from "./byte-parts.js";

it("leaves exactly the bytes that are not done with, wherever the cut falls", () => {
  const parts = fc.array(fc.uint8Array({ minLength: 1, maxLength: 5 }), { maxLength: 5 });
  fc.assert(
    fc.property(parts, fc.nat(), (all, seed) => {
      const whole = Buffer.concat(all);
      const cut = seed % (whole.length + 1);

      const rest = withoutFirst(all, cut);

      expect(Buffer.concat(rest)).toEqual(whole.subarray(cut));
      expect(rest.every((part) => part.length > 0)).toBe(true);
    }),
  );
});
