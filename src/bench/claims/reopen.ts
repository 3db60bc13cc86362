/**
 * Opening a store whose writer was killed, with few messages in it and with many: it must not matter how many.
 *
 *     life 1:  open · fill to N · write on ‖ kill        life 2, 3, …:  open (measured) · write on ‖ kill
 *
 * Before each kill about half a segment is written, so that there is a tail to look through.
 */
import { type Claim, type Setting, sized } from "../claim.js";
import { type Figure, Rounds } from "../figure.js";
import { median } from "../median.js";
import { withProgram } from "../program.js";

const few = 10_000;

/** By child processes, which say how long their open took. */
export const reopen: Claim = {
  name: "reopen",
  about: "reopen after kill -9, messages of 100 B, a tail of 32 MB",
  run: async (setting) => {
    const counts = sized(setting, { quick: [few, 100_000], usual: [few, 1_000_000], full: [few, 1_000_000, 10_000_000] });
    const figures: Figure[] = [];
    const medians: number[] = [];
    for (const messages of counts) {
      setting.note(`reopen with ${messages.toLocaleString("en-US")} messages`);
      const goal = messages === few ? undefined : ({ better: "less", must: 150, stretch: 50 } as const);
      const opened = new Rounds(`with ${messages.toLocaleString("en-US")} messages`, "ms", goal);
      for (const ms of await lives(messages, setting)) opened.add(ms);
      const figure = opened.figure();
      figures.push(figure);
      medians.push(median(figure.thread?.rounds ?? []));
    }
    const slower = new Rounds("the most messages against the fewest", "ratio");
    slower.add((medians.at(-1) ?? NaN) / (medians[0] ?? NaN));
    return [...figures, slower.figure()];
  },
};

/** Milliseconds of each open after a kill. */
function lives(messages: number, setting: Setting): Promise<number[]> {
  return setting.scratch.use(async (dir) => {
    const opened: number[] = [];
    for (let life = 0; life <= sized(setting, { quick: 2, usual: 5 }); life += 1) {
      await withProgram({ name: "mortal-writer", args: [dir, String(messages)], signal: setting.signal }, async (program) => {
        const ms = Number(await program.line("opened"));
        if (life > 0) opened.push(ms);
        await program.line("enough");
      });
    }
    return opened;
  });
}
