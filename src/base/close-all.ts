/**
 * Closing what consists of parts: all of them are closed, whatever one of them says, and the first failure is told.
 */

/** Closes a part. */
export type Close = () => Promise<unknown>;

/** Closes one after the other, in this order. Rejects with the first failure, once all have been closed. */
export async function closeAll(...closes: readonly Close[]): Promise<void> {
  let first: { readonly reason: unknown } | undefined;
  for (const close of closes) {
    try {
      await close();
    } catch (reason) {
      first ??= { reason };
    }
  }
  if (first !== undefined) throw first.reason;
}

/** Closes all of them at once. Rejects with the failure of the first that failed, in their order, once all have been closed. */
export async function closeTogether(parts: Iterable<{ close(): Promise<unknown> }>): Promise<void> {
  const closing = Array.from(parts, async (part) => part.close());
  await closeAll(...closing.map((closed) => () => closed));
}

/** Closes one after the other, and rejects with what went wrong before: what they say of it is no news. */
export async function closeAfter(reason: unknown, ...closes: readonly Close[]): Promise<never> {
  await closeAll(...closes).catch(() => undefined);
  throw reason;
}
