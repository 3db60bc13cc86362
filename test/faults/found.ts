/** What a store holds when it is opened again, in the words of `programs/`: numbers of messages, by their ids. */
import { openOn } from "../../src/bench/log-host.js";

/** Opens the store, reads everything, produces one more, closes. */
export async function reopen(dir: string): Promise<{ readonly found: ReadonlyMap<bigint, number>; readonly nextId: bigint }> {
  // In this process, which runs from the sources: a thread of its own would have no file to run.
  const mq = await openOn("inline", { dir });
  try {
    await mq.createChannel("c", { ifNotExists: true });
    const found = new Map<bigint, number>();
    for await (const messages of mq.read("c", { from: "earliest" })) {
      for (const { id, payload } of messages) found.set(id, numberOf(payload));
    }
    const { firstId } = await mq.produce("c", [{ payload: Buffer.from("[m-1]") }]);
    return { found, nextId: firstId };
  } finally {
    await mq.close();
  }
}

/** What a program said with this word in front, each split into its parts. */
export function saidWith(word: string, said: readonly string[]): string[][] {
  return said.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1).split(" "));
}

/** Every way in which what is found contradicts what was said; empty when all is well. */
export function contradictions(said: readonly string[], { found, nextId }: Awaited<ReturnType<typeof reopen>>): string[] {
  const acked = saidWith("acked", said).map(([number, id]) => ({ number: Number(number), id: BigInt(id ?? 0) }));
  const refused = new Set(saidWith("failed", said).flatMap(([number, , effect]) => (effect === "none" ? [Number(number)] : [])));
  const began = new Set(saidWith("began", said).map(([number]) => Number(number)));
  const numbers = [...found.values()];
  const highest = [...found.keys()].reduce((most, id) => (id > most ? id : most), 0n);
  return [
    ...acked.filter(({ number, id }) => found.get(id) !== number).map(({ number, id }) => `${number} was acked as ${id}: ${found.get(id)}`),
    ...numbers.filter((number, at) => numbers.indexOf(number) !== at).map((number) => `${number} is there twice`),
    ...numbers.filter((number) => refused.has(number)).map((number) => `${number} was refused and is there`),
    ...numbers.filter((number) => !began.has(number)).map((number) => `${number} was never sent`),
    ...(nextId > highest ? [] : [`the next id is ${nextId}, and ${highest} has been given out`]),
  ];
}

function numberOf(payload: Uint8Array): number {
  return Number(/^\[m(-?\d+)\]/.exec(Buffer.from(payload.subarray(0, 16)).toString("latin1"))?.[1] ?? NaN);
}
