/** Ties the command line to this process. Importing it runs it. */
import { systemClock } from "../base/clock.js";
import { runCommandLine } from "./command-line.js";
import { Interrupted } from "./failure.js";
import { Output } from "./output.js";

const interrupt = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(name, () => {
    // The second one is from somebody who will not wait for a clean close.
    if (interrupt.signal.aborted) process.exit(130);
    interrupt.abort(new Interrupted(`interrupted by ${name}`));
  });
}

const exitCode = await runCommandLine(process.argv.slice(2), {
  stdin: () => process.stdin,
  stdout: new Output(process.stdout, "standard output", process.env),
  stderr: new Output(process.stderr, "standard error", process.env),
  signal: interrupt.signal,
  clock: systemClock,
});
// Who interrupts does not wait for a reader that has stopped taking what is still on its way to it.
if (interrupt.signal.aborted) process.exit(exitCode);
process.exitCode = exitCode;
