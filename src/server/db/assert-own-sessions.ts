import { openPostgres } from "./postgres.ts";

/** What answers under `DATABASE_URL` lends connections out by the transaction. */
export class DatabaseIsPooled extends Error {
  override name = "DatabaseIsPooled";
  constructor() {
    super(
      "DATABASE_URL leads to a pooler that shares connections between transactions, such as PgBouncer with pool_mode=transaction. Exameteca keeps prepared statements and listens in its sessions: name PostgreSQL itself, or a pooler with pool_mode=session.",
    );
  }
}

/**
 * Two connections that are open at once have a backend each, unless a pooler in between lends one to both in turn.
 * @throws {DatabaseIsPooled}
 */
export async function assertOwnSessions(url: string): Promise<void> {
  const open = () => openPostgres(url, { max: 1, fetch_types: false });
  const clients = [open(), open()];
  try {
    const pids: string[] = [];
    // One after the other, and again: both are open, and each idle while the other asks.
    for (const client of [...clients, ...clients]) {
      const [row] = await client.unsafe<{ pid: unknown }[]>("select pg_backend_pid() as pid");
      pids.push(String(row?.pid));
    }
    const [first, second, firstAgain, secondAgain] = pids;
    if (first === second || first !== firstAgain || second !== secondAgain) throw new DatabaseIsPooled();
  } finally {
    await Promise.all(clients.map((client) => client.end({ timeout: 5 })));
  }
}
