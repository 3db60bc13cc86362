import { expect, it } from "vitest";
import * as fc from "fast-check";
import { DueTimes } from "./due-times.js";

it("Due times come out in their order, each name once, with the time that was set last", () => {
  const anyAct = fc.record({
    name: fc.constantFrom("a", "b", "c", "d", "e"),
    dueMs: fc.nat(50),
    what: fc.constantFrom("set", "set", "set", "delete", "take"),
  });
  fc.assert(
    fc.property(fc.array(anyAct, { maxLength: 200 }), (acts) => {
      const [due, model] = [new DueTimes(), new Map<string, number>()];
      for (const { name, dueMs, what } of acts) {
        if (what === "set") {
          due.set(name, dueMs);
          model.set(name, dueMs);
        } else if (what === "delete") {
          due.delete(name);
          model.delete(name);
        } else {
          const taken = due.take(dueMs);
          const least = Math.min(Infinity, ...model.values());
          expect(taken === undefined ? undefined : model.get(taken)).toBe(least <= dueMs ? least : undefined);
          if (taken !== undefined) model.delete(taken);
        }
        expect(due.nextMs).toBe(Math.min(Infinity, ...model.values()));
        expect(due.has(name)).toBe(model.has(name));
      }
    }),
  );
});
