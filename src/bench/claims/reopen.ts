/**
 * Opening a store whose writer was killed, with few messages in it and with many: it must not matter how many.
 *
 *     open · fill to N · write on ‖ kill        open · write on ‖ kill        open (measured) · write on ‖ kill        …
 *
 * Before each kill about half a segment is written, so that there is a tail to look through: from the second life on the same one in all stores.
 */
import { type Claim, type Setting, sized } from "../claim.js";
import { Rounds } from "../figure.js";
import { withProgram } from "../program.js";

const few = 10_000;

/** By child processes, which say how long their open took; the stores take turns. */
export const reopen: Claim = {
  name: "reopen",
  about: "reopen after kill -9, messages of 100 B, a tail of 32 MB",
  run: (setting) =>
    setting.scratch.use(async (folder) => {
      const counts = sized(setting, { quick: [few, 100_000], usual: [few, 1_000_000], full: [few, 1_000_000, 10_000_000] });
      const stores = counts.map((messages) => {
        const goal = messages === few ? undefined : ({ better: "less", must: 150, stretch: 50 } as const);
        const text = messages.toLocaleString("en-US");
        return { dir: `${folder}/${messages}`, messages, text, opened: new Rounds(`with ${text} messages`, "ms", goal) };
      });
      const slower = new Rounds("the most messages against the fewest", "ratio");
      for (let life = 1; life <= sized(setting, { quick: 4, usual: 7 }); life += 1) {
        const ms: number[] = [];
        for (const { dir, messages, text } of stores) {
          setting.note(`reopen with ${text} messages`);
          ms.push(await oneLife(dir, messages, setting));
        }
        // The tail of the first life depends on how the segments grew while the store was filled.
        if (life <= 2) continue;
        for (const [at, { opened }] of stores.entries()) opened.add(ms[at] ?? NaN);
        slower.add((ms.at(-1) ?? NaN) / (ms[0] ?? NaN));
      }
      return [...stores.map(({ opened }) => opened), slower].map((rounds) => rounds.figure());
    }),
};

/** Milliseconds of the open. It ends by a kill. */
function oneLife(dir: string, messages: number, { signal }: Setting): Promise<number> {
  return withProgram({ name: "mortal-writer", args: [dir, String(messages)], signal }, async (program) => {
    const ms = Number(await program.line("opened"));
    await program.line("enough");
    return ms;
  });
}
