import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";

/** A line to a server that carries so many bytes a second of its clients, and breaks again and again. */
export interface SlowLine extends AsyncDisposable {
  url: string;
  /** Bytes of clients that it carried. */
  readonly carriedBytes: number;
  readonly cuts: number;
}

export interface SlowLineOptions {
  bytesPerSecond: number;
  cutEveryMs: number;
}

export async function openSlowLine(
  target: string,
  { bytesPerSecond, cutEveryMs }: SlowLineOptions,
): Promise<SlowLine> {
  const port = Number(new URL(target).port);
  const sockets = new Set<Socket>();
  let carriedBytes = 0;
  let cuts = 0;
  /** When the bytes that were let in are through. */
  let freeAt = 0;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
  };
  const server = createServer((client) => {
    const upstream = createConnection({ host: "127.0.0.1", port });
    for (const socket of [client, upstream]) keep(socket);
    client.on("data", (data: Buffer) => {
      const now = performance.now();
      freeAt = Math.max(now, freeAt) + (data.length / bytesPerSecond) * 1000;
      client.pause();
      setTimeout(() => {
        if (upstream.destroyed) return;
        carriedBytes += data.length;
        upstream.write(data);
        client.resume();
      }, freeAt - now);
    });
    upstream.pipe(client);
    client.once("close", () => upstream.destroy());
    upstream.once("close", () => client.destroy());
  });
  const cutting = setInterval(() => {
    if (sockets.size > 0) cuts++;
    for (const socket of sockets) socket.destroy();
  }, cutEveryMs);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get carriedBytes() {
      return carriedBytes;
    },
    get cuts() {
      return cuts;
    },
    async [Symbol.asyncDispose]() {
      clearInterval(cutting);
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
