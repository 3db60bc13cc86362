/**
 * Read access to segment files: a bounded number of open handles, shared by all readers.
 */
import type { Vfs, VfsFile } from "../../base/vfs.js";
import { segmentName } from "./file-names.js";

const mostOpen = 32;

interface Handle {
  readonly file: Promise<VfsFile>;
  readers: number;
  /** No longer in the table: the last reader closes it. */
  dropped: boolean;
}

/** Opens on first use, closes the least recently used. */
export class SegmentFiles {
  readonly #vfs: Vfs;
  readonly #dir: string;
  /** In the order of their last use. */
  readonly #handles = new Map<number, Handle>();
  #isClosed = false;

  constructor(vfs: Vfs, dir: string) {
    this.#vfs = vfs;
    this.#dir = dir;
  }

  /** The path, for errors. */
  path(segment: number): string {
    return `${this.#dir}/${segmentName(segment)}`;
  }

  /** Reads from `offset` on, into a buffer of its own or the one given; fewer bytes only at the end of the file. Rejects with the system's error. */
  async read(segment: number, offset: number, length: number, into?: Buffer): Promise<Buffer> {
    const handle = this.#use(segment);
    try {
      const file = await handle.file;
      const bytes = into?.subarray(0, length) ?? Buffer.allocUnsafeSlow(length);
      return bytes.subarray(0, await file.read(bytes, offset));
    } finally {
      handle.readers--;
      if (handle.dropped && handle.readers === 0) await closeQuietly(handle);
    }
  }

  /** Lets go of a segment, as soon as nobody reads it. */
  async drop(segment: number): Promise<void> {
    const handle = this.#handles.get(segment);
    if (handle === undefined) return;
    this.#handles.delete(segment);
    handle.dropped = true;
    if (handle.readers === 0) await closeQuietly(handle);
  }

  /** What is still read then is closed by its last reader. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const segment of this.#handles.keys()) await this.drop(segment);
  }

  #use(segment: number): Handle {
    const handle = this.#handles.get(segment) ?? { file: this.#open(segment), readers: 0, dropped: false };
    handle.readers++;
    if (this.#isClosed) {
      handle.dropped = true;
      return handle;
    }
    this.#handles.delete(segment);
    this.#handles.set(segment, handle);
    if (this.#handles.size > mostOpen) this.#dropOldest();
    return handle;
  }

  #open(segment: number): Promise<VfsFile> {
    const file = this.#vfs.open(this.path(segment), "read");
    // A file that can't be opened must not stay in the table.
    file.catch(() => this.#handles.delete(segment));
    return file;
  }

  #dropOldest(): void {
    for (const [segment, handle] of this.#handles) {
      if (handle.readers > 0) continue;
      this.#handles.delete(segment);
      handle.dropped = true;
      void closeQuietly(handle);
      return;
    }
  }
}

/** A handle that was only read from has nothing to lose. */
async function closeQuietly(handle: Handle): Promise<void> {
  await handle.file.then((file) => file.close()).catch(() => undefined);
}
