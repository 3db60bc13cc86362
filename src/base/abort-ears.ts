/**
 * Who wants to know when a signal aborts.
 *
 *     signal ──▶ one listener ──▶ ear, ear, ear
 *
 * A caller may give one signal to a thousand calls at a time. Node calls the eleventh listener of a signal a leak, on the caller's standard
 * error, and walks through all there are whenever one comes or goes.
 */

interface Ears {
  readonly all: Set<() => void>;
  /** What the signal itself knows of. */
  readonly tell: () => void;
}

/** Of a signal, while anybody listens: a signal that outlives them keeps nothing. */
const earsOf = new WeakMap<AbortSignal, Ears>();

/** Calls `ear` once when the signal aborts, at once if it has; never without a signal. It must not throw. */
export function heedAbort(signal: AbortSignal | undefined, ear: () => void): void {
  if (signal === undefined) return;
  if (signal.aborted) return ear();
  const known = earsOf.get(signal);
  if (known !== undefined) {
    known.all.add(ear);
    return;
  }
  const all = new Set([ear]);
  const tell = (): void => {
    for (const each of all) each();
    earsOf.delete(signal);
  };
  earsOf.set(signal, { all, tell });
  signal.addEventListener("abort", tell, { once: true });
}

/** Takes it back; nothing if it was called, or never came. */
export function ignoreAbort(signal: AbortSignal | undefined, ear: () => void): void {
  if (signal === undefined) return;
  const ears = earsOf.get(signal);
  if (ears === undefined || !ears.all.delete(ear) || ears.all.size > 0) return;
  earsOf.delete(signal);
  signal.removeEventListener("abort", ears.tell);
}
