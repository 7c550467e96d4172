import postgres from "postgres";
import { withTimeout } from "../runtime/with-timeout.ts";
import { DatabaseGivesTooFew, DatabaseIsPooled, DatabaseRefusesSettings } from "./database.errors.ts";
import { openPostgres, type Sql } from "./postgres.ts";

const CLIENTS = 3;
const ROUNDS = 8;
const TIMEOUT_MS = 15_000;

/** Settings that each of our connections asks for. A pooler accepts them only if it is configured to. */
const SETTINGS = { statement_timeout: TIMEOUT_MS, idle_in_transaction_session_timeout: TIMEOUT_MS };

/**
 * Asserts that each open connection has a backend of its own and keeps it. A pooler that lends backends out breaks that.
 * @throws {DatabaseIsPooled} if a pooler lends backends out
 * @throws {DatabaseRefusesSettings} if a pooler refuses the settings of a connection
 * @throws {DatabaseGivesTooFew} if further connections wait for the first
 */
export async function assertOwnSessions(url: string, { timeoutMs = TIMEOUT_MS } = {}): Promise<void> {
  const open = (connection = {}) => openPostgres(url, { max: 1, connection });
  const clients = Array.from({ length: CLIENTS }, () => open());
  const limited = open(SETTINGS);
  const ask = async () => {
    await assertBackends(clients);
    await limited.unsafe("select 1");
  };
  try {
    if (!(await withTimeout(ask(), timeoutMs))) throw new DatabaseGivesTooFew();
  } catch (error) {
    throw isRefusedSetting(error) ? new DatabaseRefusesSettings() : error;
  } finally {
    await Promise.all([...clients, limited].map((client) => client.end({ timeout: 1 })));
  }
}

/**
 * Each connection asks twice in a row. A pooler that lends its backends in turn gives another backend, and a pooler that
 * lends the last one again gives it to the next client too. Other clients can hide that in one round, but not in all.
 */
async function assertBackends(clients: readonly Sql[]): Promise<void> {
  const backends = new Map<Sql, string>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const client of [...clients, ...clients.toReversed()].flatMap((each) => [each, each])) {
      const [row] = await client.unsafe<{ pid: unknown }[]>("select pg_backend_pid() as pid");
      const pid = String(row?.pid);
      const others = clients.filter((other) => other !== client).map((other) => backends.get(other));
      if (pid !== (backends.get(client) ?? pid) || others.includes(pid)) throw new DatabaseIsPooled();
      backends.set(client, pid);
    }
  }
}

/** PgBouncer's "unsupported startup parameter". PostgreSQL itself never answers our settings with it. */
function isRefusedSetting(error: unknown): boolean {
  return error instanceof postgres.PostgresError && /startup parameter/i.test(error.message);
}
