/**
 * TypeScript to one JavaScript file that Node runs by itself: for child processes, and for builds of the product with some source changed.
 */
import { build, type Plugin, type Rollup } from "vite";

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
