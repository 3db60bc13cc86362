/**
 * Names with the time at which something is due for each, the earliest first: a binary heap, one entry a name.
 */

interface Due {
  readonly name: string;
  readonly dueMs: number;
}

/** See above. */
export class DueTimes {
  /** A parent is never due after its children. Entries whose name has another time by now are passed over. */
  #heap: Due[] = [];
  readonly #times = new Map<string, number>();

  /** When the first one is due; Infinity when none is. */
  get nextMs(): number {
    this.#dropStale();
    return this.#heap[0]?.dueMs ?? Infinity;
  }

  has(name: string): boolean {
    return this.#times.has(name);
  }

  get(name: string): number | undefined {
    return this.#times.get(name);
  }

  /** In the place of what was set for the name before. */
  set(name: string, dueMs: number): void {
    if (this.#times.get(name) === dueMs) return;
    this.#times.set(name, dueMs);
    this.#push({ name, dueMs });
    // Names set again and again must not make it grow.
    if (this.#heap.length > 2 * this.#times.size + 16) this.#rebuild();
  }

  delete(name: string): void {
    this.#times.delete(name);
  }

  /** Takes out a name that is due at `nowMs`; undefined when none is. */
  take(nowMs: number): string | undefined {
    if (this.nextMs > nowMs) return undefined;
    const first = this.#pop();
    if (first !== undefined) this.#times.delete(first.name);
    return first?.name;
  }

  #dropStale(): void {
    for (let first = this.#heap[0]; first !== undefined && this.#times.get(first.name) !== first.dueMs; first = this.#heap[0]) this.#pop();
  }

  #rebuild(): void {
    this.#heap = [];
    for (const [name, dueMs] of this.#times) this.#push({ name, dueMs });
  }

  #push(due: Due): void {
    let at = this.#heap.push(due) - 1;
    for (let parent = (at - 1) >> 1; at > 0 && this.#isLater(parent, at); parent = (at - 1) >> 1) {
      this.#swap(parent, at);
      at = parent;
    }
  }

  #pop(): Due | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return first;
    this.#heap[0] = last;
    for (let at = 0, child = 1; child < this.#heap.length; child = 2 * at + 1) {
      if (child + 1 < this.#heap.length && this.#isLater(child, child + 1)) child += 1;
      if (!this.#isLater(at, child)) break;
      this.#swap(at, child);
      at = child;
    }
    return first;
  }

  #isLater(a: number, b: number): boolean {
    return (this.#heap[a]?.dueMs ?? 0) > (this.#heap[b]?.dueMs ?? 0);
  }

  #swap(a: number, b: number): void {
    const [one, other] = [this.#heap[a], this.#heap[b]];
    if (one === undefined || other === undefined) return;
    this.#heap[a] = other;
    this.#heap[b] = one;
  }
}
