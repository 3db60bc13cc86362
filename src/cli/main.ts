#!/usr/bin/env node
/**
 * The program `tidemark`. An old Node fails on the first import that it can't take, with an error that says nothing to its user; so all but
 * the check of its version comes after that.
 */
import { isTooOld, oldestNode } from "./node-version.js";

if (isTooOld(process.versions.node)) {
  process.stderr.write(`tidemark: this is Node ${process.versions.node}, and it takes ${oldestNode} or newer\n`);
  process.exitCode = 1;
} else {
  await import("./program.js");
}
