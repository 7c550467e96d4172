import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";

/** A line to a server that breaks again and again. */
export interface CuttingProxy extends AsyncDisposable {
  url: string;
  /** Bytes that clients sent through it. */
  readonly sentBytes: number;
  /** Connections that it cut. */
  readonly cuts: number;
  /** Where new connections go from now on. */
  target(url: string): void;
}

/** Cuts each connection after as many bytes of the client as `nextCut` says. */
export async function startCuttingProxy(firstUrl: string, nextCut: () => number): Promise<CuttingProxy> {
  let port = Number(new URL(firstUrl).port);
  let sentBytes = 0;
  let cuts = 0;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
  };
  const server = createServer((client) => {
    const upstream = createConnection({ host: "127.0.0.1", port });
    for (const socket of [client, upstream]) keep(socket);
    let leftBytes = nextCut();
    client.on("data", (data: Buffer) => {
      const passed = data.subarray(0, leftBytes);
      sentBytes += passed.length;
      leftBytes -= passed.length;
      const isFull = !upstream.write(passed);
      if (leftBytes === 0) {
        cuts++;
        upstream.end();
        client.destroy();
      } else if (isFull) {
        client.pause();
        upstream.once("drain", () => client.resume());
      }
    });
    upstream.pipe(client);
    client.once("close", () => upstream.destroy());
    upstream.once("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get sentBytes() {
      return sentBytes;
    },
    get cuts() {
      return cuts;
    },
    target(url) {
      port = Number(new URL(url).port);
    },
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
