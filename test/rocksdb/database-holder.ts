/** A process that has a database open, as a running Milvus has. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { root } from "../layers/imports.js";

const program = `
  import { RocksLevel } from "@nxtedition/rocksdb";
  const database = new RocksLevel(process.argv[1], {});
  const columns = Object.fromEntries(process.argv.slice(2).map((family) => [family, {}]));
  await database.open({ columns, createIfMissing: false, walCompression: false });
  process.stdout.write("open");
  process.stdin.resume().on("end", () => database.close());
`;

/** Resolves once it has it open. */
export async function databaseHolder(directory: string, families = ["default", "properties"]): Promise<{ stop(): Promise<void> }> {
  const args = ["--input-type=module", "--eval", program, directory, ...families];
  const child = spawn(process.execPath, args, { cwd: join(root, "test", "rocksdb"), stdio: ["pipe", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return {
    stop: async () => {
      child.stdin.end();
      await once(child, "exit");
    },
  };
}
