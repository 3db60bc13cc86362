/**
 * How the database is opened.
 */

const mebibyte = 1024 * 1024;
/**
 * How tables are made, from the third level on compressed. `compression: false` does not change that: it only leaves out what the binding
 * trains for each table, a dictionary, which takes more time than the compression itself. Rows are read by ranges, so blocks are large and
 * there is no filter, which only a read of one key would ask.
 */
const tables = { compaction: "level", compression: false, blockSize: 16 * 1024, filterPolicy: "nullptr" };
/**
 * Memory for what is written and not yet sorted into tables. Small ones, since RocksDB keeps its own log as long as any family has something
 * in memory that only the log has on the disk: what little goes into the metadata must not hold back all of it.
 */
const families = {
  default: { ...tables, memtableMemoryBudget: 64 * mebibyte },
  properties: { ...tables, memtableMemoryBudget: 16 * mebibyte },
  meta: { ...tables, memtableMemoryBudget: mebibyte / 4 },
};

/** What the binding is given; the database is made if there is none. */
export const databaseOptions = { columns: families, createIfMissing: true, walCompression: false } as const;
