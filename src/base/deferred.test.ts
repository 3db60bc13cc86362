import { expect, it } from "vitest";
import { Deferred } from "./deferred.js";

it("settles as it was told first, and stays so", async () => {
  const answered = new Deferred<number>();
  const refused = new Deferred<number>();

  answered.resolve(1);
  answered.reject(new Error("too late"));
  refused.reject(new Error("no"));
  refused.resolve(2);

  await expect(answered.promise).resolves.toBe(1);
  await expect(refused.promise).rejects.toThrow("no");
});

it("knows whether it was settled", async () => {
  const deferred = new Deferred<void>();
  expect(deferred.settled).toBe(false);

  deferred.resolve();

  expect(deferred.settled).toBe(true);
  await deferred.promise;
});
