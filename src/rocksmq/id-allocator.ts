/** Gives out ids from outside the queue, for those who need them unique beyond one channel. Ids never repeat and never go back. */
export interface IdAllocator {
  /** `count` consecutive ids, as [begin, end). */
  alloc(count: number): Promise<[begin: bigint, end: bigint]>;
  allocOne(): Promise<bigint>;
  /** Makes its window of ids fresh; its owner calls it from time to time. The queue never does. */
  updateId(): Promise<void>;
}
