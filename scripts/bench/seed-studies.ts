import { eq, sql } from "drizzle-orm";
import { connectDatabase, type Db } from "../../src/server/db/client.ts";
import { attachOrStart } from "../../src/server/db/embedded/embedded-postgres.ts";
import { studies } from "../../src/server/features/studies/studies.table.ts";
import { createLogger } from "../../src/server/runtime/log.ts";
import { type ApiClient, registerClient } from "./api-client.ts";
import { studyPopulation } from "./study-population.ts";

const ROWS_PER_STATEMENT = 1_000;
/** Accounts beside the measured one. Their studies must neither appear in its list nor slow it down. */
const OTHERS = { accounts: 20, studiesEach: 1_000 };

/** An account full of studies. */
export interface SeededAccount extends AsyncDisposable {
  /** Its owner, signed in. */
  client: ApiClient;
  /** Changes one study, as the next upload to the account would, so that earlier counts may be wrong. */
  change(): Promise<void>;
}

/** Puts studies (rows only, no bytes) into the database of a running server: `count` in one new account among others. */
export async function seedStudies(options: {
  url: string;
  dataDir: string;
  count: number;
}): Promise<SeededAccount> {
  const client = await registerClient(options.url);
  await using opened = new AsyncDisposableStack();
  const postgres = await attachOrStart({ dataDir: options.dataDir, log: createLogger({ level: "error" }) });
  opened.defer(() => postgres.stop());
  const pool = connectDatabase({ url: postgres.url, maxConnections: 1, statementTimeoutMs: 120_000 });
  opened.defer(() => pool.close());
  const [changing] = await fill(pool.db, client.userId, options.count);
  for (let index = 0; index < OTHERS.accounts; index++) {
    const { userId } = await registerClient(options.url);
    await fill(pool.db, userId, OTHERS.studiesEach);
  }
  // Autovacuum would do this within minutes of so many new rows.
  await pool.db.execute(sql`vacuum analyze ${studies}`);
  const stack = opened.move();
  let changes = 0;
  return {
    client,
    async change() {
      const accessionNumberFolded = `changed ${++changes}`;
      await pool.db
        .update(studies)
        .set({ accessionNumberFolded })
        .where(eq(studies.id, changing?.id ?? ""));
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function fill(db: Db, accountId: string, count: number): Promise<(typeof studies.$inferInsert)[]> {
  const rows = [...studyPopulation(accountId, count)];
  for (let from = 0; from < count; from += ROWS_PER_STATEMENT) {
    await db.insert(studies).values(rows.slice(from, from + ROWS_PER_STATEMENT));
  }
  return rows;
}
