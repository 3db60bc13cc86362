/**
 * Channels by the number for somebody who asks, ids that no two of them share, and time for all.
 *
 * Prints
 *     4 channels for the proxy at 10.0.0.7
 *     ids differ: true, time goes on: true
 *     channels left: 0
 */
import { openChannelService, openEmbeddedMeta, openIdAllocator, openTimestampOracle } from "tidemark/meta";
import { openRocksMq } from "tidemark/rocksmq";

const meta = await openEmbeddedMeta({ dir: "./meta-data" });
const mq = await openRocksMq({ dir: "./queue-data", ids: await openIdAllocator({ meta }) });
try {
  const service = await openChannelService({ meta, store: mq });
  const ownerDescription = { role: "proxy", address: "10.0.0.7", descriptionText: "inserts of tenant 12" };
  // All four are there, or none: also when the process is killed in this line.
  const { channelNames } = await service.createChannels({ ownerDescription, numChannels: 4 });
  const { descriptions } = await service.describeChannels({ channelNames });
  console.log(`${descriptions.length} channels for the ${descriptions[0]?.owner.role} at ${descriptions[0]?.owner.address}`);

  const oracle = await openTimestampOracle({ meta });
  const before = await oracle.allocate();
  const produced = await Promise.all(channelNames.map((name) => mq.produce(name, [{ payload: Buffer.from("a row") }])));
  const after = await oracle.allocate();
  console.log(`ids differ: ${new Set(produced.map(({ firstId }) => firstId)).size === 4}, time goes on: ${after > before}`);

  await service.destroyChannels({ channelNames });
  console.log(`channels left: ${(await mq.channels()).length}`);
} finally {
  await mq.close();
  await meta.close();
}
