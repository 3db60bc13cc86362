/**
 * What the package's doors export, types included, read from the sources behind package.json's `exports`.
 */
import { existsSync, readFileSync } from "node:fs";
import { codeOf, resolveImport, root, sourceFilesBelow } from "../layers/imports.js";

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
}

/** Door ("tidemark", "tidemark/rocksmq", …) → the source file behind it. */
export function doors(): Map<string, string> {
  const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as Manifest;
  const found = new Map<string, string>();
  for (const [subpath, target] of Object.entries(manifest.exports)) {
    if (typeof target === "string") continue;
    found.set(`tidemark${subpath.slice(1)}`, target.default.replace(/^\.\/dist\//, "src/").replace(/\.js$/, ".ts"));
  }
  return found;
}

/** Every name that a source file exports; follows `export *`. Empty when there is no such file. */
export function exportedNames(path: string): Set<string> {
  const names = new Set<string>();
  if (!existsSync(root + path)) return names;
  const code = codeOf(readFileSync(root + path, "utf8"));
  for (const match of code.matchAll(/^export (?:type )?\{([^}]*)\}/gm)) {
    for (const item of (match[1] ?? "").split(","))
      names.add(
        item
          .trim()
          .replace(/^type /, "")
          .replace(/^.* as /, ""),
      );
  }
  for (const match of code.matchAll(/^export (?:declare |abstract |async )*(?:const|let|function\*?|class|interface|type) (\w+)/gm))
    names.add(match[1] ?? "");
  for (const match of code.matchAll(/^export \* from "([^"]+)"/gm)) {
    const target = resolveImport(path, match[1] ?? "");
    if (target !== undefined) for (const name of exportedNames(target)) names.add(name);
  }
  names.delete("");
  return names;
}

/** The code of every source, read once: a page may ask for hundreds of members. */
const sources = sourceFilesBelow("src").map(({ text }) => codeOf(text));

/** Whether some exported interface, class, type or table of that name in `src/` declares that member. */
export function hasMember(type: string, member: string): boolean {
  const declaration = new RegExp(`^export (?:abstract )?(?:interface|class|type|const) ${type}\\b[^{]*\\{([\\s\\S]*?)^\\}`, "m");
  return sources.some((code) => {
    const body = declaration.exec(code)?.[1];
    return body !== undefined && new RegExp(`^\\s+(?:readonly |async |static )*${member}\\??\\s*[(:<]`, "m").test(body);
  });
}
