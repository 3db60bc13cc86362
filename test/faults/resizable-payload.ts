/** A message whose payload is as long as its memory, which can grow to 1,000 bytes and shrink. */
export interface ResizablePayload {
  readonly payload: Uint8Array;
  resize(bytes: number): void;
}

/** The declarations that we compile with do not know of such memory yet. */
export function resizable(bytes: number): ResizablePayload {
  const memory = Reflect.construct(ArrayBuffer, [bytes, { maxByteLength: 1_000 }]) as ArrayBuffer;
  const resize = Reflect.get(memory, "resize") as (bytes: number) => void;
  return { payload: new Uint8Array(memory), resize: (to) => Reflect.apply(resize, memory, [to]) };
}
