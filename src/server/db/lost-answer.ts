import { withTimeout } from "../runtime/with-timeout.ts";
import { DatabaseUnavailable } from "./database.errors.ts";
import { Patience, type SentStatement } from "./patience.ts";
import { openPostgres } from "./postgres.ts";

/** A connection as the database lists it: a process id may come again. */
export interface Backend {
  pid: number;
  /** In seconds since 1970, as PostgreSQL writes them. */
  startedAt: string;
}

/** A look that takes longer counts as no look. */
const LOOK_MS = 20_000;

/**
 * Waits for the work of one backend, however long that takes. Every `lookMs` another connection looks at the backend: if it was idle
 * from one look to the next, or is gone, either the question or its answer was lost.
 * @throws {DatabaseUnavailable} if one of them was lost
 */
export async function unlessLost<Result>(
  work: Promise<Result>,
  { url, backend, lookMs }: { url: string; backend: Backend; lookMs: number },
): Promise<Result> {
  let before: string | undefined;
  while (!(await withTimeout(work, lookMs))) {
    const idleSince = await lookAt(url, backend).catch(() => undefined);
    if (idleSince !== undefined && idleSince === before)
      throw new DatabaseUnavailable("the database waits for what it was asked, or its answer was lost");
    before = idleSince;
  }
  return await work;
}

/** Since when the backend has waited to be asked; `undefined` while it works, or if the database does not tell. */
async function lookAt(url: string, { pid, startedAt }: Backend): Promise<string | undefined> {
  const patience = new Patience(LOOK_MS, LOOK_MS);
  const sql = openPostgres(
    url,
    { max: 1, connection: { application_name: "exameteca-startup" } },
    patience.sockets,
  );
  try {
    const asked = sql`select state, state_change::text as since from pg_stat_activity
      where pid = ${pid} and extract(epoch from backend_start)::text = ${startedAt}`;
    const [row] = await patience.watch(asked as typeof asked & SentStatement);
    if (!row) return "gone";
    return String(row.state).startsWith("idle") ? String(row.since) : undefined;
  } finally {
    await sql.end({ timeout: 5 });
  }
}
