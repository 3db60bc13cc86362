/** A message as it is handed in. */
export interface ProducerMessage {
  /** May be empty. It must not change until the produce settles: memory that is transferred or resized before is refused. */
  readonly payload: Uint8Array;
  /** Own, enumerable text keys with text values: any well-formed Unicode, `__proto__` too; 64 KiB of UTF-8 in all. */
  readonly properties?: Readonly<Record<string, string>> | undefined;
}

/** A message as it comes out. */
export interface ConsumerMessage {
  /** Its place in the channel. */
  readonly id: bigint;
  /** A view that stays valid while it is referenced; `slice()` it to let go of the batch around it. */
  readonly payload: Uint8Array;
  /** Has no prototype, so that no key means anything special. Messages may share it: copy it to change it. */
  readonly properties: Readonly<Record<string, string>>;
  /** When it was stored, Unix milliseconds. Never goes down in a channel. */
  readonly timeMs: number;
}

/** Where a batch was stored: [firstId, lastId], consecutive. -1n both for an empty batch. */
export interface ProduceResult {
  readonly firstId: bigint;
  readonly lastId: bigint;
  readonly count: number;
}
