import { Patience, type SentStatement } from "./patience.ts";
import { openPostgres, type Sql } from "./postgres.ts";

/** A connection that takes longer to answer counts as lost. */
const ANSWER_MS = 30_000;

/** A connection that holds locks. They end with it, and it ends with the process at the latest. */
export interface LockedSession extends AsyncDisposable {
  /** `false` if the connection was lost meanwhile, and the locks with it. */
  isHeld(): Promise<boolean>;
}

/** Has `lock` take locks on a connection of their own. Returns `undefined` if `lock` says that another one has them. */
export async function lockSession(
  url: string,
  applicationName: string,
  lock: (sql: Sql) => Promise<boolean>,
  patience = new Patience(ANSWER_MS),
): Promise<LockedSession | undefined> {
  const session = {
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
    connection: { application_name: applicationName, statement_timeout: 0 },
  };
  const sql = openPostgres(url, session, patience.sockets);
  await using opening = new AsyncDisposableStack();
  opening.defer(() => sql.end({ timeout: 5 }));
  // A machine that is gone without a word keeps its locks for half a minute, not for hours; one that only waits keeps them.
  await sql`select set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false),
    set_config('tcp_keepalives_count', '4', false), set_config('idle_session_timeout', '0', false)`;
  // The client connects anew by itself, without the locks and without this mark. A process id may come again after a restart.
  const mark = Bun.randomUUIDv7();
  await sql`select set_config('exameteca.locked_session', ${mark}, false)`;
  const readMark = async (): Promise<unknown> => {
    const asked = sql`select current_setting('exameteca.locked_session', true) as mark`;
    const [row] = await patience.watch(asked as typeof asked & SentStatement);
    return row?.mark;
  };
  if (!(await lock(sql))) return undefined;
  const opened = opening.move();
  return {
    isHeld: async () => (await readMark().catch(() => null)) === mark,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
