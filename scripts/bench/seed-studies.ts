import { eq, sql } from "drizzle-orm";
import { connectDatabase, type Db } from "../../src/server/db/client.ts";
import { attachOrStart } from "../../src/server/db/embedded/embedded-postgres.ts";
import { series, studies } from "../../src/server/features/studies/studies.table.ts";
import { storedObjects } from "../../src/server/holdings/objects/stored-objects.table.ts";
import { scrubRounds } from "../../src/server/holdings/scrubbing/scrub-rounds.table.ts";
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
  /** Adds the series of the studies, with the rows of their manifests. */
  withSeries?: boolean;
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
  if (options.withSeries) {
    // The bytes of these manifests do not exist, which the server would find out meanwhile, study by study.
    await endScrubRound(pool.db);
    await addSeries(pool.db, client.userId);
  }
  // Autovacuum would do this within minutes of so many new rows.
  for (const table of [studies, series, storedObjects]) await pool.db.execute(sql`vacuum analyze ${table}`);
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

async function endScrubRound(db: Db): Promise<void> {
  const now = new Date();
  await db.delete(scrubRounds);
  const round = { id: Bun.randomUUIDv7(), objectsTotal: 0, bytesTotal: 0 };
  await db.insert(scrubRounds).values({ ...round, startedAt: now, finishedAt: now, movedAt: now });
}

/** The series that the studies of an account count, their instances shared out evenly. */
async function addSeries(db: Db, accountId: string): Promise<void> {
  const numbered = sql`${studies} cross join lateral generate_series(1, ${studies.seriesCount}) as number
    where ${studies.accountId} = ${accountId}`;
  await db.execute(sql`
    insert into ${series} (id, study_id, series_instance_uid, series_number, modality, instance_count, manifest_id)
    select gen_random_uuid(), ${studies.id}, ${studies.studyInstanceUID} || '.' || number, number,
      split_part(${studies.modality}, '\\', 1), greatest(1, ${studies.instanceCount} / ${studies.seriesCount}), gen_random_uuid()
    from ${numbered}`);
  await db.execute(sql`
    insert into ${storedObjects} (id, study_id, upload_id, kind, key, size_bytes, sha256, location, created_at)
    select ${series.manifestId}, ${series.studyId}, gen_random_uuid(), 'manifest', ${series.manifestId}::text, 2000, '', 'archive', now()
    from ${series} inner join ${studies} on ${studies.id} = ${series.studyId}
    where ${studies.accountId} = ${accountId}`);
}
