import { describe, expect, it } from "vitest";
import { airports, loadFlights } from "./flights.js";
import { Load } from "./load.js";

const flights = loadFlights();

describe("the tour's flights", () => {
  it("are JSON, and real: a departure that anybody can look up in the data", () => {
    expect(JSON.parse(flights.message("ATL", 0).toString())).toEqual({
      flight: 0,
      departs: "2001-01-01T00:01",
      from: "ATL",
      to: "SAV",
      delayMin: 19,
      miles: 215,
    });
  });

  it("come again each pass, seven days later", () => {
    const again = JSON.parse(flights.message("ATL", flights.departures("ATL")).toString()) as unknown;

    expect(again).toMatchObject({ flight: flights.departures("ATL"), departs: "2001-01-08T00:01", to: "SAV" });
  });
});

describe("the tour's load", () => {
  const load = new Load(flights, 3_000_000);

  it("is whole passes, and at least as many bytes as asked for", () => {
    expect(load.count).toBe(load.passes * flights.perPass);
    expect(load.bytes.length).toBeGreaterThanOrEqual(3_000_000);
    expect(new Load(flights, 1).passes).toBe(1);
  });

  it("gives every airport its messages in order, each once", () => {
    const next = { ATL: 0, DFW: 0, ORD: 0 };
    for (let n = 0; n < load.count; n += 1) {
      const airport = load.airport(n);
      if (!load.payload(n).equals(flights.message(airport, next[airport]))) expect.fail(`message ${n} is not ${airport} ${next[airport]}`);
      next[airport] += 1;
    }

    expect(airports.map((airport) => next[airport])).toEqual(airports.map((airport) => load.countOf(airport)));
  });

  it("is cut for the bare disk into the same bytes", () => {
    const parts = [load.slice(0, 100), load.slice(100, 101), load.slice(101, load.count), load.slice(load.count, load.count + 50)];

    expect(Buffer.concat(parts).equals(load.bytes)).toBe(true);
  });

  it("knows messages beyond itself", () => {
    const k = load.countOf("ORD");

    expect(load.message("ORD", k).equals(flights.message("ORD", k))).toBe(true);
    expect(load.message("ORD", k - 1).equals(flights.message("ORD", k - 1))).toBe(true);
  });
});
