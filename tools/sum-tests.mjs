/**
 * Adds up vitest's JSON reports and prints one line: `N passed, N failed` (`, N skipped` if any).
 *
 * Exit code 1 if anything failed, if a report is missing, or if no test ran. A test file that broke before its first test counts as one failure.
 */
import { readFileSync } from "node:fs";

const totals = { passed: 0, failed: 0, skipped: 0 };
for (const path of process.argv.slice(2)) add(path);
const { passed, failed, skipped } = totals;
if (failed > 0 || passed === 0) process.exitCode = 1;
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);

function add(path) {
  let report;
  try {
    report = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    console.error(`no report of a tier: ${error.message}`);
    totals.failed += 1;
    return;
  }
  for (const file of report.testResults) {
    if (file.status === "failed" && !file.assertionResults.some(({ status }) => status === "failed")) totals.failed += 1;
    for (const { status } of file.assertionResults) {
      if (status === "passed") totals.passed += 1;
      else if (status === "failed") totals.failed += 1;
      else totals.skipped += 1;
    }
  }
}
