import type { Db } from "pg-boss";
import type { TransactionSql } from "postgres";
import { Patience } from "../db/patience.ts";
import { openPostgres, type Sql } from "../db/postgres.ts";
import { preparing } from "../db/preparing.ts";
import { renewReadOnly } from "../db/renew-sessions.ts";

const JSON_OID = 114;
const JSONB_OID = 3802;
const MAX_CONNECTIONS = 2;
const STATEMENT_TIMEOUT_MS = 60_000;
/** The database ends a statement by itself within its timeout; an answer that comes no later is lost. */
const ANSWER_MS = STATEMENT_TIMEOUT_MS + 5_000;
/** The connections are few, and one of them may look after many jobs. */
const UNSENT_MS = 30_000;

const asText = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
const jsonType = (oid: number) => ({ to: oid, from: [oid], serialize: asText, parse: JSON.parse });

/**
 * A small pool for pg-boss alone. It can't share drizzle's pool: pg-boss sends JSON as text and expects it back parsed,
 * and drizzle replaces those serializers on its client.
 */
export function openJobsPool(
  url: string,
  patience = new Patience(ANSWER_MS, UNSENT_MS),
  maxConnections = MAX_CONNECTIONS,
): Sql {
  const pool = {
    max: maxConnections,
    types: { json: jsonType(JSON_OID), jsonb: jsonType(JSONB_OID) } as unknown as Record<string, never>,
    connection: { application_name: "exameteca-jobs", statement_timeout: STATEMENT_TIMEOUT_MS },
  };
  const sql = openPostgres(url, pool, patience.sockets);
  renewReadOnly(sql, url, maxConnections, patience);
  return preparing(sql, patience);
}

/** Lets pg-boss run its SQL, and listen, on a postgres.js pool. */
export function pgBossDatabase(sql: Sql): Db {
  return {
    async executeSql(text, values) {
      const [, script] = SCRIPT.exec(text) ?? [];
      if (script === undefined) return await run(sql, text, values);
      return await sql.begin((tx) => run(tx, script));
    },
    async listen(channel, onNotification, onReconnect) {
      const listening = await sql.listen(channel, onNotification, onReconnect);
      return { close: () => listening.unlisten() };
    },
  };
}

/**
 * A text that opens its own transaction. The driver must know of the transaction: it hands out a connection that was reserved by
 * hand, and lost, as if it were open.
 */
const SCRIPT = /^\s*BEGIN;([\s\S]*)\bCOMMIT;\s*$/;

/** Takes the next job of a queue. It is the only statement without values that runs for every job. */
const NEXT_JOB = /^\s*WITH\s+next AS/;
const QUEUE_NAME = /\bname = '([^']+)'/;

/** pg-boss writes the queue's name into the text. As a value, it leaves each connection one plan for all queues. */
function withQueueAsValue(text: string): { text: string; values: unknown[] } {
  const [literal, queue] = (NEXT_JOB.test(text) && QUEUE_NAME.exec(text)) || [];
  if (literal === undefined) return { text, values: [] };
  return { text: text.replaceAll(literal, () => "name = $1"), values: [queue] };
}

/** Each connection plans the statements that run for every job only once. */
async function run(sql: Sql | TransactionSql, text: string, values: unknown[] = []) {
  const statement = values.length > 0 ? { text, values } : withQueueAsValue(text);
  const options: object = statement.values.length > 0 ? { prepare: true } : {};
  const result: unknown[] = await sql.unsafe(statement.text, statement.values as never[], options);
  // Several statements in one text give a list of results.
  const several = result.length > 0 && result.every(Array.isArray);
  return { rows: several ? result.flat() : [...result] };
}
