/** The port to whoever gives out ids that never repeat. */

/** The seed's interface. Ids never repeat and never go back, over crashes and clock jumps. */
export interface IdAllocator {
  /** `count` consecutive ids: [begin, end). */
  alloc(count: number): Promise<[begin: bigint, end: bigint]>;
  allocOne(): Promise<bigint>;
  /** Fetches ids ahead of need, where that is worth something. */
  updateId(): Promise<void>;
}
