/** How much memory a process needs to send half a gigabyte through sixteen channels, written and read at the same time. */
import { type Claim, sized } from "../claim.js";
import { Rounds } from "../figure.js";
import { withProgram } from "../program.js";

/** In a process that does nothing else. */
export const memory: Claim = {
  name: "memory",
  about: "resident memory: 500 MB through 16 channels, 64 producers and 16 consumers at once",
  run: (setting) =>
    setting.scratch.use((dir) => {
      const megabytes = sized(setting, { quick: 100, usual: 500 });
      return withProgram({ name: "through-channels", args: [dir, String(megabytes)], signal: setting.signal }, async (program) => {
        const bare = new Rounds("before the queue is opened", "bytes");
        const peak = new Rounds(`at its highest, ${megabytes} MB`, "bytes", { better: "less", must: 150e6, stretch: 80e6 });
        bare.add(Number(await program.line("bare")));
        peak.add(Number(await program.line("peak")));
        return [bare.figure(), peak.figure()];
      });
    }),
};
