import type { Db } from "pg-boss";
import type { ReservedSql } from "postgres";
import { openPostgres, type Sql } from "../db/postgres.ts";

const JSON_OID = 114;
const JSONB_OID = 3802;
/** Each keeps about 10 MB of the database's memory, for the plans of every queue. */
const MAX_CONNECTIONS = 2;

const asText = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
const jsonType = (oid: number) => ({ to: oid, from: [oid], serialize: asText, parse: JSON.parse });

/**
 * A small pool for pg-boss alone. It can't share drizzle's pool: pg-boss sends JSON as text and expects it back parsed,
 * and drizzle replaces those serializers on its client.
 */
export function openJobsPool(url: string): Sql {
  return openPostgres(url, {
    max: MAX_CONNECTIONS,
    types: { json: jsonType(JSON_OID), jsonb: jsonType(JSONB_OID) } as unknown as Record<string, never>,
    connection: { application_name: "exameteca-jobs", statement_timeout: 60_000 },
  });
}

/** Lets pg-boss run its SQL, and listen, on a postgres.js pool. */
export function pgBossDatabase(sql: Sql): Db {
  return {
    async executeSql(text, values) {
      return /^\s*BEGIN\b/i.test(text) ? runScript(sql, text) : run(sql, text, values);
    },
    async listen(channel, onNotification, onReconnect) {
      const listening = await sql.listen(channel, onNotification, onReconnect);
      return { close: () => listening.unlisten() };
    },
  };
}

/** Takes the next job of a queue. It is the only statement without values that runs for every job. */
const NEXT_JOB = /^\s*WITH\s+next AS/;

/** Each connection plans the statements that run for every job only once. */
async function run(sql: Sql | ReservedSql, text: string, values: unknown[] = []) {
  const isRepeated = values.length > 0 || NEXT_JOB.test(text);
  // Otherwise postgres.js never prepares a text without values (`simple`).
  const options: object = isRepeated ? { prepare: true, simple: false } : {};
  const result: unknown[] = await sql.unsafe(text, values as never[], options);
  // Several statements in one text give a list of results.
  const several = result.length > 0 && result.every(Array.isArray);
  return { rows: several ? result.flat() : [...result] };
}

/** A text that opens its own transaction needs a connection to itself, which must be clean when it is released. */
async function runScript(sql: Sql, text: string) {
  const connection = await sql.reserve();
  try {
    return await run(connection, text);
  } catch (error) {
    await connection.unsafe("ROLLBACK");
    throw error;
  } finally {
    connection.release();
  }
}
