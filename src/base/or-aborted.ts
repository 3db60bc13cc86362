import { heedAbort, ignoreAbort } from "./abort-ears.js";

/** `promise`, or the signal's reason if that comes first; what the promise comes to is nobody's then. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(reasonOf(signal));
    heedAbort(signal, onAbort);
    const settle = (how: () => void): void => {
      ignoreAbort(signal, onAbort);
      how();
    };
    promise.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
  });
}

function reasonOf({ reason }: { readonly reason: unknown }): unknown {
  return reason;
}
