import { describe, expect, it } from "vitest";
import { ScratchPool } from "./scratch-pool.js";

async function taken(pool: ScratchPool, count: number): Promise<Buffer[]> {
  return Promise.all(Array.from({ length: count }, () => pool.take()));
}

describe("a pool of read buffers", () => {
  it("hands out the same few buffers again and again", async () => {
    const pool = new ScratchPool(16);
    const seen = new Set<Buffer>();

    for (let round = 0; round < 10; round++) {
      const buffers = await taken(pool, 4);
      for (const buffer of buffers) seen.add(buffer);
      for (const buffer of buffers) pool.giveBack(buffer);
    }

    expect(seen.size).toBe(4);
  });

  it("lets a fifth wait for one of the four, first come, first served", async () => {
    const pool = new ScratchPool(16);
    const [first, second] = await taken(pool, 4);
    const order: string[] = [];
    const fifth = pool.take().then((buffer) => (order.push("fifth"), buffer));
    const sixth = pool.take().then((buffer) => (order.push("sixth"), buffer));

    if (first === undefined || second === undefined) throw new Error("took none");
    pool.giveBack(first);
    pool.giveBack(second);

    expect(await fifth).toBe(first);
    expect(await sixth).toBe(second);
    expect(order).toEqual(["fifth", "sixth"]);
  });

  it("makes a new one for the next in line when one stays with its views", async () => {
    const pool = new ScratchPool(16);
    const lost = await taken(pool, 4);
    const fifth = pool.take();

    pool.lose();

    expect(lost).not.toContain(await fifth);
    expect(await fifth).toHaveLength(16);
  });
});
