import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { type AssociationOptions, serveAssociation } from "./association.ts";

export interface DimseListenerOptions extends AssociationOptions {
  host: string;
  port: number;
  tls: { cert: string; key: string } | undefined;
  /** Further connections are closed at once. */
  maxConnections: number;
  onFailure(error: unknown): void;
}

export interface DimseListener {
  port: number;
  /** Accepts nothing more; resolves when all connections have ended, and cuts them off first. */
  close(): Promise<void>;
}

/** @throws if the port can't be listened on */
export async function listenForAssociations(options: DimseListenerOptions): Promise<DimseListener> {
  const served = new Map<Socket, Promise<void>>();
  const serve = (socket: Socket) => {
    if (served.size >= options.maxConnections) return void socket.destroy();
    socket.setNoDelay(true);
    const serving = serveAssociation(socket, options)
      .catch(options.onFailure)
      .finally(() => served.delete(socket));
    served.set(socket, serving);
  };
  const server: Server = options.tls ? createTlsServer(options.tls, serve) : createServer(serve);
  // A peer that fails at TLS is no failure of ours.
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  server.on("error", options.onFailure);
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : options.port,
    async close() {
      server.close();
      for (const socket of served.keys()) socket.destroy();
      await Promise.all(served.values());
    },
  };
}
