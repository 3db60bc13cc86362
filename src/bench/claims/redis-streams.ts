/**
 * Redis Streams with `appendfsync always` doing the same work on the same disk: 64 messages of 1 KiB under way, each acked after a sync.
 *
 * Redis is a server: part of its time is the way there. So it is measured in both forms that its clients have, and compared by the better one:
 * 64 connections with a command each, and one that pipelines 64.
 */
import { type Claim, type Setting, sized } from "../claim.js";
import { Rounds } from "../figure.js";
import { openOn } from "../log-host.js";
import { dropAll, produceFor } from "../producers.js";
import { RedisConnection } from "../redis/redis-connection.js";
import { RedisServer, redisVersion } from "../redis/redis-server.js";
import { encodeCommand } from "../redis/resp.js";

const underWay = 64;
const payload = Buffer.alloc(1024, 97);
const add = encodeCommand(["XADD", "stream", "*", "p", payload]);

/** In turns with ours. */
export const redisStreams: Claim = {
  name: "redis",
  about: "beside it: Redis Streams, appendfsync always, 64 messages of 1 KiB under way",
  run: async (setting) => {
    const version = redisVersion();
    if (version === undefined) return { skipped: "there is no redis-server on the PATH" };
    const ours = new Rounds("tidemark, 64 producers, messages a second", "per second");
    const many = new Rounds(`redis ${version}, 64 connections`, "per second");
    const one = new Rounds(`redis ${version}, one connection, pipelined`, "per second");
    const times = new Rounds("tidemark / redis at its better", "ratio");
    await setting.scratch.use(async (folder) => {
      const server = await RedisServer.start(folder, setting);
      try {
        await setting.scratch.use(async (dir) => {
          const mq = await openOn("thread", { dir });
          try {
            await mq.createChannel("c");
            const measuredMs = sized(setting, { quick: 300, usual: 800 });
            for (let round = 1; round <= sized(setting, { quick: 1, usual: 5 }); round += 1) {
              const load = { channels: ["c"], producers: underWay, messageBytes: payload.length, measuredMs };
              const our = await produceFor(mq, load, setting);
              await dropAll(mq, ["c"]);
              const [each, pipelined] = [
                await redisTurn(server, underWay, measuredMs, setting),
                await redisTurn(server, 1, measuredMs, setting),
              ];
              ours.add(our.perSecond);
              many.add(each);
              one.add(pipelined);
              times.add(our.perSecond / Math.max(each, pipelined));
            }
          } finally {
            await mq.close();
          }
        });
      } finally {
        await server.stop();
      }
    });
    return [ours, many, one, times].map((rounds) => rounds.figure());
  },
};

/** Messages a second over so many connections, all of them under way together. Leaves an empty server. */
async function redisTurn({ port }: RedisServer, connections: number, ms: number, setting: Setting): Promise<number> {
  const { clock, signal } = setting;
  const sockets = await Promise.all(Array.from({ length: connections }, () => RedisConnection.open(port)));
  try {
    const commands: Buffer[] = Array.from({ length: underWay / connections }, () => add);
    let acked = 0;
    const startedAt = clock.monotonicMs();
    const send = async (socket: RedisConnection): Promise<void> => {
      while (clock.monotonicMs() - startedAt < ms && !signal.aborted) {
        // Not added in one expression with the wait: others add meanwhile.
        const answers = await socket.sendAll(commands);
        acked += answers.length;
      }
    };
    await Promise.all(sockets.map(send));
    const tookMs = clock.monotonicMs() - startedAt;
    await sockets[0]?.send(["DEL", "stream"]);
    signal.throwIfAborted();
    return (acked * 1000) / tookMs;
  } finally {
    for (const socket of sockets) socket.close();
  }
}
