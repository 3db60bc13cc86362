/** A Redis server of our own: on a free port of this machine, in a folder of its own, with every write synced before it is acked. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { createServer } from "node:net";
import { pause, type Setting } from "../claim.js";
import { RedisConnection } from "./redis-connection.js";

/** It answers within this time, or never. */
const longestStartMs = 10_000;

/** The version of the `redis-server` on the PATH; undefined when there is none. */
export function redisVersion(): string | undefined {
  const { status, stdout } = spawnSync("redis-server", ["--version"], { encoding: "utf8" });
  return status === 0 ? (/v=(\S+)/.exec(stdout)?.[1] ?? "unknown") : undefined;
}

/** Running; the caller owes a `stop`. */
export class RedisServer {
  readonly port: number;
  readonly #process: ChildProcess;
  readonly #gone: Promise<unknown>;
  readonly #onExit: () => void;

  private constructor(port: number, folder: string) {
    this.port = port;
    const settings = {
      bind: "127.0.0.1",
      port: String(port),
      dir: folder,
      save: "",
      appendonly: "yes",
      appendfsync: "always",
      "auto-aof-rewrite-percentage": "0",
      daemonize: "no",
    };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    this.#process = spawn("redis-server", args, { stdio: "ignore" });
    this.#gone = once(this.#process, "exit");
    this.#onExit = () => this.#process.kill("SIGKILL");
    process.on("exit", this.#onExit);
  }

  /** Resolves once it takes commands. */
  static async start(folder: string, setting: Setting): Promise<RedisServer> {
    await mkdir(folder);
    const server = new RedisServer(await freePort(), folder);
    try {
      await server.#answers(setting);
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  /** Kills it: its folder is thrown away. Resolves once it is gone. */
  async stop(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#gone;
    process.off("exit", this.#onExit);
  }

  async #answers(setting: Setting): Promise<void> {
    const deadlineMs = setting.clock.monotonicMs() + longestStartMs;
    for (;;) {
      try {
        const connection = await RedisConnection.open(this.port);
        await connection.send(["PING"]);
        connection.close();
        return;
      } catch (error) {
        if (this.#process.exitCode !== null) throw new Error("redis-server ended at its start", { cause: error });
        if (setting.clock.monotonicMs() > deadlineMs)
          throw new Error(`redis-server does not answer on port ${this.port}`, { cause: error });
        await pause(setting, 20);
      }
    }
  }
}

/** A port that nobody listened on a moment ago. */
async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (typeof address !== "object" || address === null) throw new Error("this machine has no free port");
  return address.port;
}
