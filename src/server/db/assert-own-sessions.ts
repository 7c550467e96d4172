import postgres from "postgres";
import { settlesWithin } from "../runtime/settles-within.ts";
import { DatabaseGivesTooFew, DatabaseIsPooled, DatabaseRefusesSettings } from "./database.errors.ts";
import { openPostgres, type Sql } from "./postgres.ts";

const CLIENTS = 3;
const ROUNDS = 8;
const TIMEOUT_MS = 15_000;

/** Such as every connection of ours asks for; a pooler takes them only where it was told to. */
const SETTINGS = { statement_timeout: TIMEOUT_MS, idle_in_transaction_session_timeout: TIMEOUT_MS };

/**
 * Connections that are open at once have a backend each and keep it, unless a pooler in between lends backends out.
 * @throws {DatabaseIsPooled} where one does
 * @throws {DatabaseRefusesSettings} where a pooler takes no settings with a connection
 * @throws {DatabaseGivesTooFew} where further connections wait for the first
 */
export async function assertOwnSessions(url: string, { timeoutMs = TIMEOUT_MS } = {}): Promise<void> {
  const open = (connection = {}) => openPostgres(url, { max: 1, fetch_types: false, connection });
  const clients = Array.from({ length: CLIENTS }, () => open());
  const limited = open(SETTINGS);
  const ask = async () => {
    await assertBackends(clients);
    await limited.unsafe("select 1");
  };
  try {
    if (!(await settlesWithin(ask(), timeoutMs))) throw new DatabaseGivesTooFew();
  } catch (error) {
    throw isRefusedSetting(error) ? new DatabaseRefusesSettings() : error;
  } finally {
    await Promise.all([...clients, limited].map((client) => client.end({ timeout: 1 })));
  }
}

/**
 * Each asks twice in a row: a pooler that lends its backends out in turn gives another one, and a pooler that lends
 * the last one again gives it to the next client too. Who else uses the pooler meanwhile may hide that once, not in
 * all rounds.
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

/** PgBouncer's "unsupported startup parameter", which PostgreSQL itself never says of ours. */
function isRefusedSetting(error: unknown): boolean {
  return error instanceof postgres.PostgresError && /startup parameter/i.test(error.message);
}
