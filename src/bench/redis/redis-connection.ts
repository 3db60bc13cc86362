/** One connection to a server on this machine: commands in order, answers in order, as many under way as the caller sends. */
import { connect, type Socket } from "node:net";
import { AnswerReader, encodeCommand } from "./resp.js";

interface Asked {
  readonly resolve: (answer: string) => void;
  readonly reject: (error: Error) => void;
}

/** Open; the caller owes a `close`. */
export class RedisConnection {
  readonly #socket: Socket;
  readonly #reader = new AnswerReader();
  #asked: Asked[] = [];

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (piece) => this.#onData(piece));
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("redis-server has closed the connection")));
  }

  static open(port: number): Promise<RedisConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: "127.0.0.1", port });
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.off("error", reject);
        resolve(new RedisConnection(socket));
      });
    });
  }

  /** Resolves with the answer. */
  send(parts: readonly (string | Uint8Array)[]): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#asked.push({ resolve, reject });
      this.#socket.write(encodeCommand(parts));
    });
  }

  /** Writes several commands at once; resolves with all answers. */
  sendAll(commands: readonly Buffer[]): Promise<string[]> {
    const answers = commands.map(() => new Promise<string>((resolve, reject) => this.#asked.push({ resolve, reject })));
    this.#socket.write(Buffer.concat(commands));
    return Promise.all(answers);
  }

  close(): void {
    this.#socket.destroy();
  }

  #onData(piece: Buffer): void {
    try {
      for (const answer of this.#reader.push(piece)) this.#asked.shift()?.resolve(answer);
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
      this.#socket.destroy();
    }
  }

  #fail(error: Error): void {
    for (const { reject } of this.#asked.splice(0)) reject(error);
  }
}
