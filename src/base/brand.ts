declare const brand: unique symbol;

/** A `T` that was checked once, at the edge, and is trusted inside: only the function that checks makes one. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
