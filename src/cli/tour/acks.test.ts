import { describe, expect, it } from "vitest";
import type { ConsumerMessage } from "../../rocksmq/index.js";
import { AckLog, type Verdict } from "./acks.js";
import { type Airport, loadFlights } from "./flights.js";

const flights = loadFlights();
const start = { ATL: { k: 10, id: 1000n }, DFW: { k: 0, id: 2000n }, ORD: { k: 0, id: 3000n } };

/** ATL's flights `from` to `to` - 1 under ids from `firstId` on. */
function stored(from: number, to: number, firstId: bigint): ConsumerMessage[] {
  return Array.from({ length: to - from }, (_, at) => ({
    id: firstId + BigInt(at),
    payload: flights.message("ATL", from + at),
    properties: {},
    timeMs: 0,
  }));
}

/** What a writer of batches of two has said, against what is there. */
async function compare(said: string, there: readonly ConsumerMessage[]): Promise<Verdict> {
  const log = new AckLog(2);
  log.push(said);
  async function* read(airport: Airport): AsyncGenerator<readonly ConsumerMessage[], void> {
    if (airport === "ATL") yield there;
  }
  return log.compare(flights, start, read);
}

const said = "ATL 10 1000 2\nATL 12 1002 2\n";
const good = { acked: 4, found: 4, unheard: 0, repeated: 0, wrong: 0, torn: 0 };

describe("the tour's proof", () => {
  it("finds what was acked", async () => {
    expect(await compare(said, stored(10, 14, 1000n))).toEqual(good);
  });

  it("takes acks apart from the pieces in which a pipe gives them, and drops one that the kill has cut", () => {
    const log = new AckLog(2);

    for (const piece of ["ATL 10 10", "00 2\nATL 1", "2 1002 2\nATL 14 100"]) log.push(piece);

    expect(log.messages).toBe(4);
  });

  it("counts what is there but was never heard of", async () => {
    expect(await compare(said, stored(10, 16, 1000n))).toEqual({ ...good, unheard: 2 });
  });

  it("sees a lost message, at the end and in the middle", async () => {
    expect(await compare(said, stored(10, 12, 1000n))).toMatchObject({ acked: 4, found: 2 });
    expect(await compare(said, stored(12, 14, 1002n))).toMatchObject({ acked: 4, found: 2 });
  });

  it("sees half a batch", async () => {
    expect(await compare(said, stored(10, 15, 1000n))).toMatchObject({ found: 4, torn: 1 });
  });

  it("sees wrong bytes under an id that was acked, and under one that was not", async () => {
    expect(await compare(said, stored(11, 15, 1000n))).toMatchObject({ found: 0, wrong: 4 });
    expect(await compare(said, [...stored(10, 14, 1000n), ...stored(99, 101, 1004n)])).toMatchObject({ found: 4, wrong: 2 });
  });

  it("sees an id given out twice", async () => {
    expect(await compare(`${said}ATL 14 1002 2\n`, stored(10, 14, 1000n))).toMatchObject({ repeated: 2 });
    expect(await compare(said, [...stored(10, 14, 1000n), ...stored(14, 16, 1000n)])).toMatchObject({ repeated: 2 });
    expect(await compare("", stored(10, 12, 999n))).toMatchObject({ repeated: 1 });
  });
});
