import { Deferred } from "../../src/base/deferred.js";
import { MemoryVfs } from "../../src/testing/index.js";

/** A disk on which whoever opens a file of this name for reading waits until it is let go. */
export class HeldDisk extends MemoryVfs {
  /** Resolves when the first one waits. */
  readonly asked = new Deferred<void>();
  readonly held = new Deferred<void>();
  readonly #name: string;

  constructor(name: string) {
    super();
    this.#name = name;
  }

  override async open(...[path, mode]: Parameters<MemoryVfs["open"]>): ReturnType<MemoryVfs["open"]> {
    if (mode === "read" && path.endsWith(`/${this.#name}`)) {
      this.asked.resolve();
      await this.held.promise;
    }
    return super.open(path, mode);
  }
}
