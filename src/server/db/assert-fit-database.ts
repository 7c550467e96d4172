import type { TransactionSql } from "postgres";
import { DatabaseDoesNotFit } from "./database.errors.ts";

const OLDEST = 16;
const EXTENSIONS = ["pg_trgm", "btree_gin"];

interface Database {
  /** As `server_version_num` has it: 160004 is 16.4. */
  version: number;
  encoding: string;
  /** The schema where PostgreSQL makes a table if the statement names none; null if there is no such schema. */
  schema: string | null;
  mayCreate: boolean;
  isolation: string;
  missing: string[];
}

/**
 * Asserts that an empty database takes our tables.
 * @throws {DatabaseDoesNotFit} with all that stands in the way
 */
export async function assertFitDatabase(tx: TransactionSql): Promise<void> {
  const [database] = await tx<Database[]>`
    select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
      current_schema() as schema, has_database_privilege(current_database(), 'create')
        and coalesce(has_schema_privilege(to_regnamespace('public'), 'create'), true) as "mayCreate",
      current_setting('default_transaction_isolation') as isolation,
      array(select unnest(${EXTENSIONS}::text[]) except select name from pg_available_extensions) as missing`;
  const obstacles = database ? obstaclesOf(database) : [];
  if (obstacles.length > 0) throw new DatabaseDoesNotFit(obstacles);
}

function obstaclesOf({ version, encoding, schema, mayCreate, isolation, missing }: Database): string[] {
  const major = Math.floor(version / 10_000);
  const here = schema === null ? "no schema" : `the schema ${schema}`;
  return [
    major < OLDEST && `it is PostgreSQL ${major}, and ${OLDEST} is the oldest that works`,
    encoding !== "UTF8" && `its encoding is ${encoding}: make it anew with ENCODING 'UTF8'`,
    !mayCreate &&
      "the role may make no tables in it: ALTER DATABASE … OWNER TO …, or GRANT CREATE ON DATABASE … and ON SCHEMA public",
    mayCreate &&
      schema !== "public" &&
      `tables would be made in ${here}: ALTER ROLE … SET search_path = public`,
    isolation !== "read committed" &&
      `statements would be ${isolation} and give way to others: ALTER ROLE … SET default_transaction_isolation = 'read committed'`,
    missing.length > 0 && `it lacks ${missing.join(" and ")}, which are in PostgreSQL's contrib package`,
  ].filter((obstacle) => obstacle !== false);
}
