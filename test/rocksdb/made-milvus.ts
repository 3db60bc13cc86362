/** A directory as Milvus's RocksMQ lays it out, written by a program of ours: for what the ones that a real Milvus wrote do not hold. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "../layers/imports.js";

/** Keys and values, all texts. */
type Rows = Readonly<Record<string, string>>;

/** What is to stand in the two databases. */
export interface MilvusRowsToMake {
  readonly payloads: Rows;
  readonly properties: Rows;
  readonly meta: Rows;
  /** Keys among the payloads, in hexadecimal: those that no text has. */
  readonly strange?: readonly string[];
}

const program = `
  import { readFileSync } from "node:fs";
  import { RocksLevel } from "@nxtedition/rocksdb";
  const { payloads, properties, meta, strange = [] } = JSON.parse(readFileSync(0, "utf8"));
  async function make(directory, families, strange) {
    const database = new RocksLevel(directory, {});
    const columns = Object.fromEntries(Object.keys(families).map((name) => [name, {}]));
    await database.open({ columns, createIfMissing: true, walCompression: false });
    const batch = database._chainedBatch();
    for (const [family, rows] of Object.entries(families))
      for (const [key, value] of Object.entries(rows)) batch._put(key, value, { column: database.columns[family] });
    for (const key of strange) batch._put(Buffer.from(key, "hex"), "x", undefined);
    batch._writeSync({ sync: true });
    await database.close();
  }
  await make(process.argv[1], { default: payloads, properties }, strange);
  await make(process.argv[1] + "_meta_kv", { default: meta }, []);
`;

/** Makes them, and closes them. */
export function makeMilvus(from: string, rows: MilvusRowsToMake): void {
  const made = spawnSync(process.execPath, ["--input-type=module", "--eval", program, from], {
    cwd: join(root, "test", "rocksdb"),
    input: JSON.stringify(rows),
    encoding: "utf8",
  });
  if (made.status !== 0) throw new Error(`the directory was not made: ${made.stderr}`);
}
