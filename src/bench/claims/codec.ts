/** What it costs to write an insert of Milvus and to read it back, beside the protobuf runtime alone. */
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { bodySchema, marshal, protoUnmarshal, timeTick } from "../../message/index.js";
import { type Claim, sized } from "../claim.js";
import { Rounds } from "../figure.js";
import { insertOfOneKiB } from "../one-kib-insert.js";

/** Both take turns in short batches, so that whatever else the machine does falls on both. */
export const codec: Claim = {
  name: "codec",
  about: "a 1 KiB insert written and read back, beside the protobuf runtime alone",
  run: (setting) => {
    const { clock, signal } = setting;
    const msg = insertOfOneKiB(timeTick(1_740_509_744_109, 13));
    const schema = bodySchema("insert");
    const dispatcher = protoUnmarshal.newUnmarshalDispatcher();
    const alone = (): unknown => fromBinary(schema, toBinary(schema, msg.body));
    const ours = (): unknown => dispatcher.unmarshal(marshal(msg).payload, "insert");
    const size = new Rounds("bytes of the insert", "bytes");
    const ratio = new Rounds("times what the runtime takes alone", "ratio", { better: "less", must: 1.1, stretch: 1.0 });
    const perSecond = new Rounds("inserts written and read", "per second");
    size.add(marshal(msg).payload.byteLength);
    const timed = (work: () => unknown): number => {
      const from = clock.monotonicMs();
      for (let at = 0; at < batch; at++) work();
      return clock.monotonicMs() - from;
    };
    for (let at = 0; at < warmUp; at++) timed(at % 2 === 0 ? alone : ours);
    for (let round = 0; round < sized(setting, { quick: 7, usual: 21 }); round++) {
      signal.throwIfAborted();
      let [without, withUs] = [0, 0];
      for (let turn = 0; turn < turns; turn++) {
        without += timed(alone);
        withUs += timed(ours);
      }
      ratio.add(withUs / without);
      perSecond.add((batch * turns * 1_000) / withUs);
    }
    return Promise.resolve([size, ratio, perSecond].map((one) => one.figure()));
  },
};

/** Inserts at a time, turns in a round, batches before it counts. */
const batch = 200;
const turns = 20;
const warmUp = 60;
