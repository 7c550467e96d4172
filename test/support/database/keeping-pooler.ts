import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";
import { targetOf } from "../network/connection-proxy.ts";

export interface KeepingPooler extends AsyncDisposable {
  /** The same server, reached through the pooler. */
  url: string;
}

interface Kept {
  backend: Socket;
  /** What the server said when the session began, up to its first ReadyForQuery. */
  greeting: Buffer;
}

const TERMINATE = Buffer.from([0x58, 0, 0, 0, 4]);
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** Keeps the session of a client that leaves for the next one, the last first, as PgBouncer does with `pool_mode=session`. */
export async function startKeepingPooler(targetUrl: string): Promise<KeepingPooler> {
  const kept: Kept[] = [];
  const sockets = new Set<Socket>();
  const hold = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => sockets.delete(socket));
  };

  function serve(client: Socket, session: Kept): void {
    const { backend } = session;
    const pass = (said: Buffer) => void client.write(said);
    const drop = () => void client.end();
    backend.on("data", pass);
    backend.once("close", drop);
    let hasLeft = false;
    client.once("close", () => void (hasLeft || backend.destroy()));
    client.on("data", (asked: Buffer) => {
      const isLast = asked.subarray(-TERMINATE.length).equals(TERMINATE);
      const rest = isLast ? asked.subarray(0, -TERMINATE.length) : asked;
      if (rest.length > 0) backend.write(rest);
      if (!isLast) return;
      hasLeft = true;
      backend.off("data", pass).off("close", drop);
      if (!backend.destroyed) kept.push(session);
    });
  }

  function begin(client: Socket, startup: Buffer): void {
    const backend = createConnection(targetOf(targetUrl));
    hold(backend);
    const session: Kept = { backend, greeting: Buffer.alloc(0) };
    backend.write(startup);
    backend.once("close", () => {
      const at = kept.indexOf(session);
      if (at >= 0) kept.splice(at, 1);
    });
    const greet = (said: Buffer) => {
      session.greeting = Buffer.concat([session.greeting, said]);
      if (!session.greeting.subarray(-READY.length).equals(READY)) return;
      backend.off("data", greet);
      serve(client, session);
      client.write(session.greeting);
    };
    backend.on("data", greet);
  }

  const server = createServer((client) => {
    hold(client);
    client.once("data", (startup: Buffer) => {
      const session = kept.pop();
      if (!session) return begin(client, startup);
      serve(client, session);
      client.write(session.greeting);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { username, pathname } = new URL(targetUrl);
  return {
    url: `postgres://${username}@127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
