import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createTempFolder } from "./temp-folder.ts";

export interface SeveredPostgres extends AsyncDisposable {
  /** The database's address through this relay. */
  url: string;
  /** Breaks every connection without a word, as a killed PostgreSQL does. */
  sever(): void;
}

/** A relay in front of a database; it can be cut. */
export async function relayPostgres(databaseUrl: string): Promise<SeveredPostgres> {
  const folder = createTempFolder();
  const address = new URL(databaseUrl);
  const socketFolder = address.searchParams.get("host");
  const port = Number(address.port || 5432);
  const sockets = new Set<Socket>();
  const relay = createServer((near) => {
    const far = socketFolder
      ? connect(join(socketFolder, `.s.PGSQL.${port}`))
      : connect(port, address.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {}); // its end is what matters
      socket.once("close", () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => relay.listen(join(folder.path, `.s.PGSQL.${port}`), resolve));
  address.searchParams.set("host", folder.path);
  const sever = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: address.href,
    sever,
    async [Symbol.asyncDispose]() {
      sever();
      relay.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
