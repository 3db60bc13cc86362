import { describe, expect, it } from "vitest";
import { ManualClock } from "../../testing/manual-clock.js";
import { MoodyMeta } from "../conformance/moody-meta.js";
import { openIdAllocator } from "./id-allocator.js";
import { openTimestampOracle } from "./timestamp-oracle.js";
import { decodeWindowRecord } from "./window-record.js";

const key = "shared";
const openers = { "timestamp oracle": openTimestampOracle, "id allocator": openIdAllocator };

describe.each([
  { own: "timestamp oracle", other: "id allocator" },
  { own: "id allocator", other: "timestamp oracle" },
] as const)("the key of the $own", ({ own, other }) => {
  it(`is not taken over by the ${other}, open or closed`, async () => {
    const meta = await MoodyMeta.open();
    const options = { meta, key, clock: new ManualClock() };
    const refusal = {
      code: "invalid-argument",
      details: { argument: "key" },
      message: `the key "shared" is the ${own}'s and can't be the ${other}'s too: name another`,
    };
    const first = await openers[own](options);

    await expect(openers[other](options)).rejects.toMatchObject(refusal);
    await first.close();
    await expect(openers[other](options)).rejects.toMatchObject(refusal);

    await (await openers[own](options)).close();
  });

  it("that an earlier build wrote goes to whoever opens it first, with all that it gave out", async () => {
    const meta = await MoodyMeta.open();
    await meta.put(key, Buffer.from('{"opening":"3","bound":"445644800262144000","highestMs":"1700000000000"}'));
    const options = { meta, key, clock: new ManualClock() };

    await (await openers[own](options)).close();

    const { value } = (await meta.get(key)) ?? expect.fail("it is there");
    expect(decodeWindowRecord(key, value)).toEqual({
      opening: 4n,
      bound: 445_644_800_262_144_000n,
      highestMs: 1_700_000_000_000n,
      of: own,
    });
    await expect(openers[other](options)).rejects.toMatchObject({ code: "invalid-argument" });
  });
});

it("of which it is not said in words whose it is, is corrupt", async () => {
  const meta = await MoodyMeta.open();
  await meta.put(key, Buffer.from('{"opening":"3","bound":"5","highestMs":"1","of":7}'));

  await expect(openTimestampOracle({ meta, key })).rejects.toMatchObject({ code: "corrupt" });
});
