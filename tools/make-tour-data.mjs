/**
 * Makes `data/flights-2001-01.csv.gz`, the real data of `tidemark tour`, out of what the npm package vega-datasets carries.
 * Run by hand, once; its result is in the repository. It needs three packages that nobody else needs, so they stay outside:
 *
 *     mkdir /tmp/tour-data && cd /tmp/tour-data && npm init -y
 *     npm install vega-datasets@3.2.1 hyparquet@1.33.0 hyparquet-compressors@1.1.2
 *     node /path/to/tidemark/tools/make-tour-data.mjs /tmp/tour-data
 *
 * The same three versions give the same bytes.
 */
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

/** The three busiest origins of the six months that the source covers. */
const airports = new Set(["ATL", "DFW", "ORD"]);
/** A whole week, so that a replay moved by weeks keeps its days of the week. */
const firstMs = Date.UTC(2001, 0, 1);
const endMs = Date.UTC(2001, 0, 8);

const packages = process.argv[2];
if (packages === undefined) {
  console.error("usage: node tools/make-tour-data.mjs <folder with node_modules/vega-datasets and hyparquet>");
  process.exit(2);
}
const { asyncBufferFromFile, parquetReadObjects } = await load("hyparquet/src/node.js");
const { compressors } = await load("hyparquet-compressors/src/index.js");

const file = await asyncBufferFromFile(join(packages, "node_modules/vega-datasets/data/flights-3m.parquet"));
// Its rows are sorted by date, about 16,500 a day.
const rows = await parquetReadObjects({ file, compressors, rowStart: 0, rowEnd: 200_000 });
const week = rows.filter(({ date, origin }) => airports.has(origin) && date.getTime() >= firstMs && date.getTime() < endMs);
const lines = week.map(({ date, origin, destination, delay, distance }) =>
  [date.toISOString().slice(0, 16), origin, destination, delay, distance].join(","),
);

const csv = ["date,origin,destination,delay,distance", ...lines, ""].join("\n");
const target = fileURLToPath(new URL("../data/flights-2001-01.csv.gz", import.meta.url));
const bytes = gzipSync(csv, { level: 9 });
writeFileSync(target, bytes);
console.log(`${target}: ${week.length} flights, ${bytes.length} bytes (${csv.length} unpacked)`);

function load(path) {
  return import(pathToFileURL(resolve(packages, "node_modules", path)).href);
}
