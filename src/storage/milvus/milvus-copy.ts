/**
 * The directory of a stopped Milvus's RocksMQ, read through a copy: opening a RocksDB rewrites it, so that Milvus would refuse the original.
 *
 *     <from>            family default: <topic>/<id> → payload; family properties: the same key → a JSON object, where Milvus kept them
 *     <from>_meta_kv    topic_id/<topic>, the one proof that a topic exists; page sizes
 */
import { basename, dirname } from "node:path";
import { closeAfter, closeAll } from "../../base/close-all.js";
import { type CopyPlan, copyDirectories, type DirectoryCopy } from "../../base/directory-copy.js";
import { isTidemarkError, TidemarkError } from "../../base/errors.js";
import { systemCode } from "../../base/system-error.js";
import { NodeVfs } from "../../base/node-vfs.js";
import { closeDatabase, loadPeer, type Peer, type PeerDatabase } from "../rocksdb/peer.js";
import { cutLog, readLog } from "../rocksdb/record-log.js";
import { type NamedPlace, saidBy, unreadable } from "../rocksdb/row-cursor.js";
import { type MilvusMessage, MilvusRows, type MilvusTopic, type NamedDatabase, type Strangers } from "./milvus-rows.js";

/** An open copy. It owes a `close()`. */
export interface MilvusCopy {
  /** Ascending by their bytes. */
  readonly topics: readonly MilvusTopic[];
  /** What is known to be missing, a sentence each. */
  readonly missing: readonly string[];
  /** Messages of a topic, ascending by id, so many at a time. */
  messages(topic: string): AsyncIterable<readonly MilvusMessage[]>;
  /** The first and the last id of a topic; undefined when it holds nothing. */
  ends(topic: string): Promise<{ readonly firstId: bigint; readonly lastId: bigint } | undefined>;
  /** Whether the original has the same files with the same bytes as before. */
  isOriginalUnchanged(): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Copies the directory and opens the copy.
 *
 * @param into the directory that it is read for, and that this process has locked: the copy lies beside it
 * @throws `invalid-argument` for what is no RocksMQ directory, and without the peer; `locked` while a process has it open; `corrupt`; `io-failed`
 */
export async function openMilvusCopy(from: string, into: string): Promise<MilvusCopy> {
  const peer = await loadPeer("from");
  const copy = await makeCopy(from, into);
  const opened: PeerDatabase[] = [];
  try {
    const [data = "", metadata = ""] = copy.directories;
    const missing = [...(await cutLogs(data, from)), ...(await cutLogs(metadata, metadataOf(from)))];
    const store = await openDatabase(peer, copyOf(from, data), { columns: { default: {}, properties: {} } });
    opened.push(store.database);
    const meta = await openDatabase(peer, copyOf(metadataOf(from), metadata), {});
    opened.push(meta.database);
    const rows = new MilvusRows({ store, meta });
    const topics = await rows.topics();
    const strangers = await rows.strangers(topics.map(({ name }) => name));
    return {
      topics,
      missing: [...missing, ...leftOut(strangers)],
      messages: (topic) => rows.messages(topic),
      ends: (topic) => rows.ends(topic),
      isOriginalUnchanged: () => copy.isOriginalUnchanged(),
      close: () => closeCopy(opened, copy),
    };
  } catch (error) {
    return closeAfter(error, () => closeCopy(opened, copy));
  }
}

function leftOut({ topics, keys, firstKey }: Strangers): string[] {
  const unknown = topics.map((name) => `the metadata does not know topic ${JSON.stringify(name)}: its messages are left out`);
  const text = `${keys} ${keys === 1 ? "key is" : "keys are"} no message's and left out, the first is ${JSON.stringify(firstKey)}`;
  return keys === 0 ? unknown : [...unknown, text];
}

function metadataOf(from: string): string {
  return `${from}_meta_kv`;
}

/** How a copy's databases end is nobody's concern. */
function closeCopy(databases: readonly PeerDatabase[], copy: DirectoryCopy): Promise<void> {
  return closeAll(...databases.map((database) => () => closeDatabase(database)), () => copy.remove());
}

async function makeCopy(from: string, into: string): Promise<DirectoryCopy> {
  const plan: CopyPlan = {
    directories: [from, metadataOf(from)],
    near: dirname(into),
    owner: basename(into),
    isNeverChanged: (name) => name.endsWith(".sst"),
    isLock: (name) => name === "LOCK",
  };
  try {
    const vfs = new NodeVfs();
    for (const directory of plan.directories) {
      if (!(await vfs.list(directory)).includes("CURRENT")) throw noRocksMq(directory, 'there is no file "CURRENT"');
    }
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") throw noRocksMq(from, `it and ${metadataOf(from)} must both be there`, error);
    throw isTidemarkError(error) ? error : notCopied(from, error);
  }
  try {
    return await copyDirectories(plan);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw isTidemarkError(error) ? error : notCopied(from, error);
    // Files go while somebody has it open, and at no other time.
    const text = `${from} is in use, its files come and go: stop Milvus first (${error instanceof Error ? error.message : String(error)})`;
    throw new TidemarkError("locked", text, { pid: 0 }, { cause: error });
  }
}

function notCopied(from: string, error: unknown): TidemarkError<"io-failed"> {
  const text = `${from} can't be copied: ${error instanceof Error ? error.message : String(error)}`;
  return new TidemarkError("io-failed", text, {}, { cause: error, effect: "none" });
}

function noRocksMq(directory: string, why: string, cause?: unknown): TidemarkError<"invalid-argument"> {
  const text = `${directory} is no directory of Milvus's RocksMQ: ${why}`;
  return new TidemarkError("invalid-argument", text, { argument: "from" }, { cause });
}

/** Before RocksDB opens the copy, and rewrites it. */
async function cutLogs(directory: string, original: string): Promise<string[]> {
  const vfs = new NodeVfs();
  const found: string[] = [];
  const names = (await vfs.list(directory)).filter((one) => one.endsWith(".log")).sort();
  for (const name of names) {
    const end = await readLog(vfs, `${directory}/${name}`);
    if (!end.isCut) continue;
    const where = `at offset ${end.soundBytes} of ${end.bytes}`;
    found.push(`${original}/${name} ends in the middle of a record, ${where}: what stood there is missing`);
    if (name === names.at(-1) && end.looksReused) await cutLog(vfs, `${directory}/${name}`, end.soundBytes);
  }
  return found;
}

function copyOf(dir: string, copy: string): NamedPlace {
  return { dir, copy, remedy: "import from a sound copy of Milvus's directory into a new queue" };
}

async function openDatabase(peer: Peer, place: NamedPlace, options: object): Promise<NamedDatabase> {
  const { dir: original, copy = original } = place;
  const database = new peer.RocksLevel(copy, {});
  try {
    await database.open({ ...options, createIfMissing: false, walCompression: false });
    return { database, place };
  } catch (error) {
    const said = saidBy(error).replaceAll(copy, original);
    if (/While lock file|lock hold by/i.test(said)) {
      const text = `${original} is in use: stop Milvus first (${said})`;
      throw new TidemarkError("locked", text, { pid: 0 }, { cause: error });
    }
    if (/Column families not opened|does not match/.test(said)) throw noRocksMq(original, said, error);
    if (/No space left/.test(said)) {
      throw new TidemarkError("disk-full", `there is no room to work on a copy of ${original}: ${said}`, {}, { cause: error });
    }
    throw unreadable(place, error);
  }
}
