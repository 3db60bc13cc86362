/**
 * The fast tests that change or count what others in their process would see: each has a process of its own. All others share a few, one file
 * after the other, which spares them most of what a file costs: a process and its imports. `tidy.test.ts` refuses among those what belongs here.
 */
import { codeOf, type SourceFile } from "./layers/imports.js";

/** Their files, from the root. */
export const processWide: readonly string[] = [
  // Fake timers, and how many timers the process has.
  "src/base/clock.test.ts",
  // Every warning of the process.
  "test/stream/many-streams.test.ts",
];

const changes = [
  /\bprocess\.(on|once|addListener|prependListener|off|removeListener|removeAllListeners|setMaxListeners|emit|emitWarning)\(/,
  /\bprocess\.(chdir|umask|setuid|setgid|setUncaughtExceptionCaptureCallback|loadEnvFile|exit|abort|reallyExit)\(/,
  /\bprocess\.(title|exitCode|argv|execArgv|env)\s*=[^=]/,
  /\bprocess\.env(\.\w+|\[[^\]]*\])\s*(=[^=]|\?\?=|\|\|=)/,
  /\bdelete (process|globalThis|global)\b/,
  /\bprocess\.(getActiveResourcesInfo|memoryUsage|cpuUsage|resourceUsage)\b/,
  /\b(globalThis|global)(\.\w+|\[[^\]]*\])\s*(=[^=]|\?\?=|\|\|=)/,
  /\b(Math|Date|JSON|Object|Reflect|Promise|Buffer|performance|console|\w+\.prototype)\.\w+\s*=[^=>]/,
  /\bObject\.(assign|define\w+|setPrototypeOf)\(\s*(globalThis|global|process|Math|Date|JSON|Object|Reflect|Promise|Buffer|\w+\.prototype)\s*,/,
  /\bError\.(stackTraceLimit|prepareStackTrace)\s*=/,
  /\b(setFlagsFromString|syncBuiltinESMExports|setDefaultAutoSelectFamily|setGlobalDispatcher|enableCompileCache|registerHooks)\(/,
  /\bEventEmitter\.(defaultMaxListeners|captureRejections)\s*=/,
  /\bvi\.(mock|doMock|unmock|doUnmock|hoisted|resetModules|stub\w+|useFakeTimers|setSystemTime|setTimerTickMode|setConfig)\(/,
  /\bvi\.spyOn\(\s*(globalThis|global|process|console|Math|Date|JSON|performance|\w+\.prototype)\s*,/,
];

/** The code with the insides of its strings blanked out, line for line: the programs in them run in other processes. */
function withoutStrings(code: string): string {
  const blank = (string: string): string => string.slice(0, 1) + string.slice(1, -1).replace(/[^\n]/g, " ") + string.slice(-1);
  return code.replace(/"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`/g, blank);
}

/** `path:line` of what in these files would change or count what others in the process see. */
export function processWideIn(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    withoutStrings(codeOf(text))
      .split("\n")
      .flatMap((line, index) => (changes.some((change) => change.test(line)) ? [`${path}:${index + 1}`] : [])),
  );
}
