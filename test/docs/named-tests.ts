/**
 * Tests that a page names: list items of the form
 *
 *     - `test/rocksmq/end.test.ts`: "works again when it is opened anew"
 *
 * with the title as JSON. A title that is a template may go on in brackets with what it is run for; that part is not named.
 */
import { existsSync, readFileSync } from "node:fs";
import { root } from "../layers/imports.js";

/** One of them. */
export interface NamedTest {
  readonly file: string;
  readonly title: string;
}

/** The tests that a part of a page names. */
export function namedTests(text: string): NamedTest[] {
  return [...text.matchAll(/^- `([^`]+)`: (".+")$/gm)].map((match) => ({
    file: match[1] ?? "",
    title: JSON.parse(match[2] ?? '""') as string,
  }));
}

/** Those that are not there: no such file, or none of that title in it. */
export function missingTests(named: readonly NamedTest[]): NamedTest[] {
  return named.filter(({ file, title }) => {
    if (!/\.(test|deep|rocksdb)\.ts$|\/conformance\//.test(file) || !existsSync(root + file)) return true;
    const source = readFileSync(root + file, "utf8");
    return ![JSON.stringify(title), `'${title}'`, `\`${title}\``, `\`${title} (\${`].some((quoted) => source.includes(quoted));
  });
}
