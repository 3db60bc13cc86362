import { expect, it } from "vitest";
import { parseTrace, pathOf } from "./strace.js";

it("a trace is read with what began and what ended where, however calls of threads cross", () => {
  const calls = parseTrace(
    [
      '10 pwrite64(5</q/1.seg>, "a, \\") = 7"..., 72, 96) = 72',
      "10 fdatasync(5</q/1.seg> <unfinished ...>",
      '9  write(1</out>, "acked 0 1\\n", 10 <unfinished ...>',
      "10 <... fdatasync resumed>) = -1 EIO (Input/output error) (INJECTED)",
      "9  <... write resumed>)             = 10",
      "10 fdatasync(5</q/1.seg>) = ?",
      "+++ exited with 0 +++",
    ].join("\n"),
  );

  expect(calls.map(({ name, began, ended, result, injected }) => [name, began, ended, result, injected])).toEqual([
    ["pwrite64", 0, 0, 72, false],
    ["fdatasync", 1, 3, -1, true],
    ["write", 2, 4, 10, false],
    ["fdatasync", 5, 5, NaN, false],
  ]);
  expect(calls.map(pathOf)).toEqual(["/q/1.seg", "/q/1.seg", "/out", "/q/1.seg"]);
  expect(calls[0]?.args).toMatch(/, 72, 96$/);
});
