import { eq, sql } from "drizzle-orm";
import { connectDatabase, type Db } from "../../src/server/db/client.ts";
import { attachOrStart } from "../../src/server/db/embedded/embedded-postgres.ts";
import { series, studies } from "../../src/server/features/studies/studies.table.ts";
import { storedObjects } from "../../src/server/holdings/objects/stored-objects.table.ts";
import { scrubRounds } from "../../src/server/holdings/scrubbing/scrub-rounds.table.ts";
import { createLogger } from "../../src/server/runtime/log.ts";
import { type ApiClient, registerClient } from "./api-client.ts";
import { addInstances } from "./seed-instances.ts";
import { studyPopulation } from "./study-population.ts";

const ROWS_PER_STATEMENT = 1_000;
/** Accounts beside the measured one. Their studies must neither appear in its list nor slow it down. */
const OTHERS = { accounts: 20, studiesEach: 1_000 };

const INSTANCES = 10;
const MAX_SERIES = 3;
const SOME = 200;

/** An account full of studies. */
export interface SeededAccount extends AsyncDisposable {
  /** Its owner, signed in. */
  client: ApiClient;
  /** Some of its studies, from all over it. */
  someStudies: readonly (typeof studies.$inferInsert)[];
  /** Changes one study, as the next upload to the account would, so that earlier counts may be wrong. */
  change(): Promise<void>;
}

/** Puts studies (without pixels) into the database of a running server: `count` in one new account among others. */
export async function seedStudies(options: {
  url: string;
  dataDir: string;
  count: number;
  /** Gives each study ten instances in one to three series, with their manifests. */
  withInstances?: boolean;
  population?: typeof studyPopulation;
  /** Adds {@link OTHERS}. */
  withOthers?: boolean;
}): Promise<SeededAccount> {
  const client = await registerClient(options.url);
  await using opened = new AsyncDisposableStack();
  const postgres = await attachOrStart({ dataDir: options.dataDir, log: createLogger({ level: "error" }) });
  opened.defer(() => postgres.stop());
  const pool = connectDatabase({ url: postgres.url, maxConnections: 1, statementTimeoutMs: 120_000 });
  opened.defer(() => pool.close());
  const { count, population = studyPopulation, withInstances, withOthers = true } = options;
  const rows = [...population(client.userId, count)].map((row, index) =>
    withInstances ? { ...row, seriesCount: 1 + (index % MAX_SERIES), instanceCount: INSTANCES } : row,
  );
  await fill(pool.db, rows);
  for (let index = 0; withOthers && index < OTHERS.accounts; index++) {
    const { userId } = await registerClient(options.url);
    await fill(pool.db, [...studyPopulation(userId, OTHERS.studiesEach)]);
  }
  if (withInstances) {
    // There are no volumes, and the server would read the manifests beside what is measured.
    await endScrubRound(pool.db);
    await addInstances(pool.db, options.dataDir, rows);
  }
  // Autovacuum would do this within minutes of so many new rows.
  for (const table of [studies, series, storedObjects]) await pool.db.execute(sql`vacuum analyze ${table}`);
  const stack = opened.move();
  let changes = 0;
  return {
    client,
    someStudies: rows.filter((_, index) => index % Math.ceil(count / SOME) === 0),
    async change() {
      const accessionNumberFolded = `changed ${++changes}`;
      await pool.db
        .update(studies)
        .set({ accessionNumberFolded })
        .where(eq(studies.id, rows[0]?.id ?? ""));
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function fill(db: Db, rows: readonly (typeof studies.$inferInsert)[]): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT) {
    await db.insert(studies).values(rows.slice(from, from + ROWS_PER_STATEMENT));
  }
}

async function endScrubRound(db: Db): Promise<void> {
  const now = new Date();
  await db.delete(scrubRounds);
  const round = { id: Bun.randomUUIDv7(), objectsTotal: 0, bytesTotal: 0 };
  await db.insert(scrubRounds).values({ ...round, startedAt: now, finishedAt: now, movedAt: now });
}
