/**
 * TypeScript to one JavaScript file that Node runs by itself: for child processes, and for builds of the product with some source changed.
 */
import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin, type Rollup } from "vite";

const root = resolve(import.meta.dirname, "../..");

/** The code of a module and all that it imports from this repository. */
export async function bundle(entry: string, plugins: readonly Plugin[] = []): Promise<string> {
  const output = await build({
    configFile: false,
    logLevel: "silent",
    plugins: [...plugins],
    build: { ssr: entry, write: false, minify: false, target: "es2022", rollupOptions: { output: { format: "es" } } },
  });
  const chunk = outputsOf(output).find((part) => part.type === "chunk");
  if (chunk?.type !== "chunk") throw new Error(`the build of ${entry} made no code`);
  return chunk.code;
}

function outputsOf(built: Awaited<ReturnType<typeof build>>): (Rollup.OutputChunk | Rollup.OutputAsset)[] {
  if (Array.isArray(built)) return built.flatMap((one) => one.output);
  return "output" in built ? built.output : [];
}

/** Takes what is imported from `src/` from the build in `dist/` instead: for what finds its other files beside itself. */
export function fromDist(): Plugin {
  return {
    name: "from dist",
    enforce: "pre",
    resolveId(source, importer) {
      if (importer === undefined || !source.startsWith(".")) return null;
      const path = relative(root, resolve(dirname(importer), source));
      if (!path.startsWith("src/")) return null;
      return { id: pathToFileURL(join(root, path.replace(/^src/, "dist"))).href, external: "absolute" };
    },
  };
}
