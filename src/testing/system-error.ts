/**
 * The errors that an operating system would give, made by hand: `code`, `errno`, `syscall` and `path`, as Node's own have them.
 */

const meanings = {
  EIO: { errno: -5, text: "i/o error" },
  ENOSPC: { errno: -28, text: "no space left on device" },
  ENOENT: { errno: -2, text: "no such file or directory" },
  EEXIST: { errno: -17, text: "file already exists" },
  EBADF: { errno: -9, text: "bad file descriptor" },
} as const;

/** The codes that a `MemoryVfs` gives. */
export type SystemErrorCode = keyof typeof meanings;

/** An error as the system's calls give it. */
export class SystemError extends Error {
  readonly code: SystemErrorCode;
  readonly errno: number;
  readonly syscall: string;
  readonly path: string;

  /** @param note why, where the system would not say it: a planned fault, a disk that lost power */
  constructor(code: SystemErrorCode, syscall: string, path: string, note = "") {
    super(`${code}: ${meanings[code].text}, ${syscall} '${path}'${note === "" ? "" : ` (${note})`}`);
    this.code = code;
    this.errno = meanings[code].errno;
    this.syscall = syscall;
    this.path = path;
  }
}
