/**
 * What a TypeScript source says about itself without a compiler: its code without comments, and what it imports.
 *
 * The tree is formatted by prettier, so that a few patterns see every form; `imports.test.ts` has them all.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** One source: `path` from the repository's root, with "/". */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** The repository's root, ending in "/". */
export const root = fileURLToPath(new URL("../../", import.meta.url));

/** All TypeScript files below `folder` (from the root), sorted. */
export function sourceFilesBelow(folder: string): SourceFile[] {
  const names = readdirSync(root + folder, { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => name.endsWith(".ts") && !name.includes("node_modules/") && statSync(`${root}${folder}/${name}`).isFile())
    .sort()
    .map((name) => ({ path: `${folder}/${name}`, text: readFileSync(`${root}${folder}/${name}`, "utf8") }));
}

/** The text with comments blanked out, line for line. A "//" inside a string survives when a quote or a colon stands before it. */
export function codeOf(text: string): string {
  const blank = (comment: string): string => comment.replace(/[^\n]/g, " ");
  return text.replace(/\/\*[\s\S]*?\*\//g, blank).replace(/(^|[^:"'`\\])\/\/.*$/gm, (_, before: string) => before);
}

/** What a source imports or re-exports, types included, as written. */
export function importsOf(text: string): string[] {
  const code = codeOf(text);
  const forms = [/^\s*(?:import|export)\s[^"'`;]*?\bfrom\s*"([^"]+)"/gm, /^\s*import\s*"([^"]+)"/gm, /\bimport\s*\(\s*"([^"]+)"/g];
  return forms.flatMap((form) => [...code.matchAll(form)].map((match) => match[1] ?? ""));
}

/** The file that a relative import names, from the root; undefined for a package. */
export function resolveImport(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  const url = new URL(specifier, `file:///${from}`);
  return decodeURIComponent(url.pathname).slice(1).replace(/\.js$/, ".ts");
}
