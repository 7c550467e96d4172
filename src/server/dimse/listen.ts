import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type Server as TlsServer } from "node:tls";
import { type AssociationOptions, serveAssociation } from "./association.ts";

/** A certificate with its chain, and its key, as PEM. */
export interface TlsIdentity {
  cert: string;
  key: string;
}

export interface DimseListenerOptions extends AssociationOptions {
  host: string;
  port: number;
  tls: TlsIdentity | undefined;
  /** With more, the oldest one without an association is closed; if there is none, the new one. */
  maxConnections: number;
  onFailure(error: unknown): void;
}

export interface DimseListener {
  port: number;
  /** Later connections see this certificate. Nothing happens without TLS. */
  identify(identity: TlsIdentity): void;
  /** Accepts nothing more; resolves when all connections have ended, and cuts them off first. */
  close(): Promise<void>;
}

/** @throws if the port can't be listened on */
export async function listenForAssociations(options: DimseListenerOptions): Promise<DimseListener> {
  const served = new Map<Socket, Promise<void>>();
  const connected = new Set<Socket>();
  /** The connections without an association, since none began yet or theirs is over. The oldest comes first. */
  const spare = new Set<Socket>();
  const forget = (socket: Socket) => {
    connected.delete(socket);
    spare.delete(socket);
  };
  const take = (socket: Socket) => {
    if (connected.size >= options.maxConnections) {
      const [oldest = socket] = spare;
      forget(oldest);
      oldest.destroy();
      if (oldest === socket) return;
    }
    connected.add(socket);
    spare.add(socket);
    socket.once("close", () => forget(socket));
  };
  const serve = (socket: Socket) => {
    if (!connected.has(socket)) return;
    socket.setNoDelay(true);
    const admit: AssociationOptions["admit"] = async (asked, cut) => {
      const admitted = await options.admit(asked, cut);
      if (typeof admitted !== "string") spare.delete(socket);
      return admitted;
    };
    const serving = serveAssociation(socket, { ...options, admit })
      .catch(options.onFailure)
      .finally(() => {
        served.delete(socket);
        if (connected.has(socket)) spare.add(socket);
      });
    served.set(socket, serving);
  };
  const tlsServer: TlsServer | undefined =
    options.tls && createTlsServer({ ...options.tls, handshakeTimeout: options.requestMs });
  const server: Server = tlsServer ?? createServer();
  // With TLS this is before the handshake, and the socket is the one that comes out of it.
  server.on("connection", take);
  server.on(tlsServer ? "secureConnection" : "connection", serve);
  // A peer that fails at TLS is no failure of ours. One that was only too slow would stay connected.
  server.on("tlsClientError", (_error: Error, socket: Socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  server.on("error", options.onFailure);
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : options.port,
    identify(identity) {
      tlsServer?.setSecureContext(identity);
    },
    async close() {
      server.close();
      for (const socket of connected) socket.destroy();
      await Promise.all(served.values());
    },
  };
}
