import type { AddressInfo } from "node:net";
import { createConnection, createServer, type NetConnectOpts, type Socket } from "node:net";

/** A way to a server that can be cut: connections break, new ones are refused, until it is mended. */
export interface ConnectionProxy extends AsyncDisposable {
  /** The same server, reached through the proxy. */
  url: string;
  /** How many were opened. */
  readonly connections: number;
  cut(): void;
  /** As {@link cut}, but new connections are told why: as a PostgreSQL that recovers after a crash does. */
  refuse(): void;
  /** Breaks every connection without a word, as a killed PostgreSQL does; new ones are taken. */
  sever(): void;
  /** Connections stay open and nothing comes through: as behind a firewall that drops packets. */
  stall(): void;
  mend(): void;
  /** As {@link stall}, but new connections work: as when a firewall, or a machine that is gone, forgot those before. */
  forget(): void;
  /** Lets PostgreSQL carry out the next statement that begins with `beginning`, and breaks its connection instead of answering, or `silently` leaves it open. Resolves then. */
  loseAnswerTo(beginning: string, how?: { silently?: boolean }): Promise<void>;
}

export async function startConnectionProxy(targetUrl: string): Promise<ConnectionProxy> {
  const target = targetOf(targetUrl);
  let state: "open" | "cut" | "refusing" | "stalled" = "open";
  let connections = 0;
  let losing: { beginning: string; silently: boolean; tell: () => void } | undefined;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
  };
  const server = createServer((client) => {
    keep(client);
    connections++;
    if (state === "refusing") return void client.once("data", () => client.end(RECOVERING));
    if (state === "cut") return void client.destroy();
    if (state === "stalled") return;
    const upstream = createConnection(target);
    keep(upstream);
    const runs = statementsOf();
    client.on("data", (asked: Buffer) => {
      const statements = runs(asked);
      if (!losing) return;
      const { beginning, silently, tell } = losing;
      if (!statements.some((statement) => statement.startsWith(beginning))) return;
      losing = undefined;
      upstream.unpipe(client);
      upstream.once("data", () => {
        if (!silently) client.destroy();
        tell();
      });
      upstream.resume();
    });
    client.pipe(upstream).pipe(client);
    client.once("close", () => upstream.destroy());
    upstream.once("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(targetUrl);
  url.searchParams.delete("host");
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    get connections() {
      return connections;
    },
    cut() {
      state = "cut";
      drop();
    },
    refuse() {
      state = "refusing";
      drop();
    },
    sever: drop,
    stall() {
      state = "stalled";
      for (const socket of sockets) socket.unpipe().pause();
    },
    mend() {
      // What was stalled is lost, as after a firewall forgot it.
      if (state === "stalled") drop();
      state = "open";
    },
    forget() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    loseAnswerTo(beginning, { silently = false } = {}) {
      const { promise, resolve } = Promise.withResolvers<void>();
      losing = { beginning, silently, tell: resolve };
      return promise;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      drop();
    },
  };
}

const RECOVERING = fatal("57P03", "the database system is in recovery mode");

/** An ErrorResponse of PostgreSQL. */
function fatal(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.from("E\0\0\0\0");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

/** Returns the statements that messages of one connection run. Each is prepared under a name, and run by that name. */
function statementsOf(): (asked: Buffer) => string[] {
  const byName = new Map<string, string>();
  return (asked) => {
    const text = asked.toString("latin1");
    for (const [, name = "", statement = ""] of text.matchAll(/P[\s\S]{4}(\w+)\0([^\0]*)\0/g))
      byName.set(name, statement);
    return [...text.matchAll(/B[\s\S]{4}\0(\w+)\0/g)].map(([, name = ""]) => byName.get(name) ?? "");
  };
}

/** libpq's `host` parameter names the folder of a unix socket. */
function targetOf(targetUrl: string): NetConnectOpts {
  const { searchParams, hostname, port } = new URL(targetUrl);
  const folder = searchParams.get("host");
  if (folder) return { path: `${folder}/.s.PGSQL.${port || 5432}` };
  return { host: hostname, port: Number(port || 5432) };
}
