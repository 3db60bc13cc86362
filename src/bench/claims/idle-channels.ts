/** Ten thousand channels that nobody uses: what they cost a process. */
import { type Claim, sized } from "../claim.js";
import { Rounds } from "../figure.js";
import { withProgram } from "../program.js";

const channels = 10_000;

/** In a process of their own; a message in each. */
export const idleChannels: Claim = {
  name: "idle-channels",
  about: "10,000 idle channels, a message in each",
  run: (setting) =>
    setting.scratch.use((dir) => {
      const args = [dir, String(channels), String(sized(setting, { quick: 1_000, usual: 5_000 }))];
      return withProgram({ name: "channel-keeper", args, signal: setting.signal }, async (program) => {
        const created = new Rounds("to create them all", "ms");
        const reopened = new Rounds("to open the queue with them", "ms", { better: "less", must: 1_000, stretch: 300 });
        const idle = new Rounds("processor time of the idle process", "percent", { better: "less", must: 0.5, stretch: 0.1 });
        const handles = new Rounds("file handles open", "count");
        created.add(Number(await program.line("created")));
        reopened.add(Number(await program.line("reopened")));
        idle.add(Number(await program.line("idle")));
        handles.add(Number(await program.line("handles")));
        return [created, reopened, idle, handles].map((rounds) => rounds.figure());
      });
    }),
};
