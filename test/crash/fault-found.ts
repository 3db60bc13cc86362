/** A law that did not hold: what the explorer is looking for, as opposed to an error in itself. */
export class FaultFound extends Error {
  override readonly name = "FaultFound";
}
