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
  /**
   * Lets PostgreSQL carry out the next statement that begins with `beginning`, and breaks its connection instead of answering, or
   * `silently` leaves it open. Resolves then. `behind` is a part of a statement that ran in the same transaction.
   */
  loseAnswerTo(beginning: string, how?: { silently?: boolean; behind?: string }): Promise<void>;
}

export async function startConnectionProxy(targetUrl: string): Promise<ConnectionProxy> {
  const target = targetOf(targetUrl);
  let state: "open" | "cut" | "refusing" | "stalled" = "open";
  let connections = 0;
  let losing: { beginning: string; behind: string; silently: boolean; tell: () => void } | undefined;
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
    const statementsIn = createStatementReader();
    let transaction = "";
    client.on("data", (asked: Buffer) => {
      let isLost = false;
      for (const statement of statementsIn(asked)) {
        if (statement.startsWith("begin")) transaction = "";
        isLost ||=
          losing !== undefined &&
          statement.startsWith(losing.beginning) &&
          transaction.includes(losing.behind);
        transaction += statement;
      }
      if (!isLost || !losing) return;
      const { silently, tell } = losing;
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
    loseAnswerTo(beginning, { silently = false, behind = "" } = {}) {
      const { promise, resolve } = Promise.withResolvers<void>();
      losing = { beginning, behind, silently, tell: resolve };
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

/** Reads what a client sends over one connection, however it is cut, and returns the statements that it runs. */
function createStatementReader(): (asked: Buffer) => string[] {
  const prepared = new Map<string, string>();
  let rest = Buffer.alloc(0);
  /** The first message has no type. */
  let typeBytes = 0;
  return (asked) => {
    const run: string[] = [];
    rest = Buffer.concat([rest, asked]);
    for (;;) {
      if (rest.length < typeBytes + 4) return run;
      const end = typeBytes + rest.readInt32BE(typeBytes);
      if (rest.length < end) return run;
      const type = rest.toString("latin1", 0, typeBytes);
      const [first = "", second = ""] = rest.toString("latin1", typeBytes + 4, end).split("\0", 2);
      rest = rest.subarray(end);
      typeBytes = 1;
      if (type === "P") prepared.set(first, second);
      if (type === "B") run.push(prepared.get(second) ?? "");
      if (type === "Q") run.push(first);
    }
  };
}

/** libpq's `host` parameter names the folder of a unix socket. */
export function targetOf(targetUrl: string): NetConnectOpts {
  const { searchParams, hostname, port } = new URL(targetUrl);
  const folder = searchParams.get("host");
  if (folder) return { path: `${folder}/.s.PGSQL.${port || 5432}` };
  return { host: hostname, port: Number(port || 5432) };
}
