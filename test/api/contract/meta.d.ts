// The contract, copied: what tidemark/rocksmq takes from tidemark/meta.
/** The seed's interface: [begin, end). Ids never repeat and never go back, over crashes and clock jumps. */
export interface IdAllocator {
  alloc(count: number): Promise<[begin: bigint, end: bigint]>;
  allocOne(): Promise<bigint>;
  updateId(): Promise<void>;
}
