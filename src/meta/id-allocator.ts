/** The port to whoever gives out ids that never repeat, for those who need them unique beyond one channel. */

/** The seed's interface. Ids never repeat and never go back, over crashes and clock jumps. */
export interface IdAllocator {
  /** `count` consecutive ids: [begin, end). */
  alloc(count: number): Promise<[begin: bigint, end: bigint]>;
  allocOne(): Promise<bigint>;
  /** Makes its window of ids fresh; its owner calls it from time to time. The queue never does. */
  updateId(): Promise<void>;
}
