/**
 * Which message goes to which of the producer's channels.
 *
 *     bucket of a hash key = key modulo number of channels
 *
 *     first message     its kind of pack
 *     insert            only inserts; each row becomes a message of its own, in the bucket of its key
 *     delete            only deletes; each goes whole to the bucket of its first key
 *     any other         whatever types; each goes whole to the bucket of its first key
 */
import { TidemarkError } from "../base/errors.js";
import { deleteFault, insertFault, insertRows, type TsMsg } from "../message/index.js";

/**
 * Spreads the messages of a pack over buckets: given the messages and, per message, the bucket of each of its hash keys, it answers with messages by bucket.
 * What it does not return is not written.
 */
export type RepackFunc = (msgs: readonly TsMsg[], buckets: readonly (readonly number[])[]) => Map<number, { msgs: TsMsg[] }>;

/** For each message the bucket of each of its hash keys. */
export function bucketsOf(msgs: readonly TsMsg[], channels: number): number[][] {
  return msgs.map(({ hashKeys }) => hashKeys.map((key) => key % channels));
}

/** The rule for packs without a rule of their own. `newId` makes the ids of rows; the only row of an insert that has an id keeps it. */
export function defaultRepack(newId: () => bigint): RepackFunc {
  return (msgs, buckets) => {
    const spread = new Spread();
    const first = msgs[0]?.type;
    for (const [at, msg] of msgs.entries()) {
      const keys = buckets[at] ?? [];
      if (first === "insert") spread.insert(at, insertOnly(at, msg), keys, newId);
      else if (first === "delete") spread.delete(at, msg, keys);
      else spread.whole(at, msg, keys);
    }
    return spread.byBucket;
  };
}

class Spread {
  readonly byBucket = new Map<number, { msgs: TsMsg[] }>();

  insert(at: number, msg: TsMsg<"insert">, keys: readonly number[], newId: () => bigint): void {
    const fault = insertFault(msg.body);
    if (fault !== undefined) throw refusal(`msgs[${at}].body`, `the rows of an insert fit together, and it has ${fault}`);
    const rows = msg.body.rowIDs.length;
    if (keys.length !== rows)
      throw refusal(`msgs[${at}].hashKeys`, `an insert has a hash key for each row, and it has ${keys.length} for ${rows} rows`);
    // An insert of one row is that row's message already: what goes by the id it was given, such as dedupe, must find it again.
    const idOf = rows === 1 && msg.id !== 0n ? (): bigint => msg.id : newId;
    for (const [row, one] of insertRows(msg, idOf).entries()) this.#put(keys[row], one);
  }

  delete(at: number, msg: TsMsg, keys: readonly number[]): void {
    if (msg.type !== "delete")
      throw refusal(`msgs[${at}]`, `a pack that begins with a delete has only deletes, and this is of type ${msg.type}`);
    const isByExpression = msg.body.serializedExprPlan.length > 0;
    const fault = deleteFault(msg.body);
    if (fault !== undefined) throw refusal(`msgs[${at}].body`, `the keys of a delete fit together, and it has ${fault}`);
    const rows = isByExpression ? Math.max(1, keys.length) : Number(msg.body.numRows);
    if (keys.length !== rows || rows === 0)
      throw refusal(
        `msgs[${at}].hashKeys`,
        `a delete has a hash key for each row and at least one, and it has ${keys.length} for ${rows} rows`,
      );
    this.#put(keys[0], msg);
  }

  whole(at: number, msg: TsMsg, keys: readonly number[]): void {
    if (keys.length === 0) throw refusal(`msgs[${at}].hashKeys`, "a message needs a hash key to find its channel, and it has none");
    this.#put(keys[0], msg);
  }

  #put(bucket: number | undefined, msg: TsMsg): void {
    if (bucket === undefined) return;
    const there = this.byBucket.get(bucket);
    if (there === undefined) this.byBucket.set(bucket, { msgs: [msg] });
    else there.msgs.push(msg);
  }
}

function insertOnly(at: number, msg: TsMsg): TsMsg<"insert"> {
  if (msg.type === "insert") return msg;
  throw refusal(`msgs[${at}]`, `a pack that begins with an insert has only inserts, and this is of type ${msg.type}`);
}

function refusal(argument: string, rule: string): TidemarkError<"invalid-argument"> {
  return new TidemarkError("invalid-argument", `${argument}: ${rule}`, { argument });
}
