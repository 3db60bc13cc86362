/** What a store is for: a directory keeps one of them. */
export type StoreKind = "queue" | "meta";

/** What each of them is called to people. */
export const whatIsKept: Readonly<Record<StoreKind, string>> = { queue: "a queue", meta: "a metadata store" };
