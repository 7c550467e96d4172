import type { Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { TransactionSql } from "postgres";
import { OperatorError } from "../../runtime/operator-error.ts";
import type { Sql } from "../postgres.ts";
import type { OwnStatements } from "./own-statements.ts";
import { ROWS_END, STATEMENT_END, TRANSACTIONS } from "./write-dump.ts";

/** No row is larger: the largest have an image of some hundred kilobytes, twice as long in hexadecimal digits. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** A dump is truncated, or was not made by `writeDump`. */
export class DumpIsUnreadable extends OperatorError {
  override name = "DumpIsUnreadable";
}

/**
 * Runs a dump of `writeDump`: one transaction makes the tables, another one fills them. Constant memory.
 * @param sql a client with one connection
 * @param own the statements that may run; any other ends the loading
 * @param lost ends the loading; aborted when that connection ends
 * @param noteLoaded what the transaction of the rows does last
 * @throws {DumpIsUnreadable} with the tables there, perhaps, and no rows in them; {@link dropLoaded} removes them
 */
export async function loadDump(
  sql: Sql,
  dump: AsyncIterable<Uint8Array>,
  own: OwnStatements,
  lost: AbortSignal,
  noteLoaded?: (sql: Sql) => Promise<void>,
): Promise<void> {
  let statement: string[] = [];
  let rows: Rows | undefined;
  let committed = 0;
  try {
    for await (const lines of linesOf(dump)) {
      for (let at = 0; at < lines.length; at++) {
        // The client would connect anew, outside of the transaction.
        lost.throwIfAborted();
        const line = lines[at] ?? "";
        if (rows) {
          const end = lines.indexOf(ROWS_END, at);
          const until = end < 0 ? lines.length : end;
          if (until > at) await rows.write(`${lines.slice(at, until).join("\n")}\n`);
          if (end >= 0) {
            await rows.end();
            rows = undefined;
          }
          at = until;
        } else if (line === STATEMENT_END) {
          const text = statement.join("\n");
          statement = [];
          if (!own.includes(text)) throw new DumpIsUnreadable("the dump has a statement that is not ours");
          const isLast = text === "commit;" && ++committed === TRANSACTIONS;
          if (isLast) await noteLoaded?.(sql);
          await sql.unsafe(text).simple();
        } else if (statement.length === 0 && own.beginsRows(line)) {
          rows = new Rows(sql, await sql.unsafe(line).writable(), lost);
        } else {
          statement.push(line);
        }
      }
    }
  } finally {
    rows?.giveUp();
    // Ends what a dump that is cut or refused began; after a whole one there is nothing to end.
    if (!lost.aborted) await untilLost(sql.unsafe("rollback"), lost);
  }
  if (committed < TRANSACTIONS) throw new DumpIsUnreadable("the dump ends early");
}

/** Whether the rows of a dump are in the database: they come in one transaction, the list of migrations among them. */
export async function hasLoadedRows(sql: Sql | TransactionSql): Promise<boolean> {
  const [table] = await sql`select to_regclass('drizzle.__drizzle_migrations') is not null as is_there`;
  if (!table?.is_there) return false;
  const rows = await sql`select 1 from drizzle.__drizzle_migrations limit 1`;
  return rows.length > 0;
}

/** Removes every table that a dump makes. */
export async function dropLoaded(sql: Sql): Promise<void> {
  await sql.unsafe(`drop schema if exists public, drizzle, pgboss cascade; create schema public`).simple();
}

/** The rows of one table on their way to the database. */
class Rows {
  constructor(
    private readonly sql: Sql,
    private readonly stream: Writable,
    private readonly lost: AbortSignal,
  ) {
    stream.on("error", () => {}); // each write reports its own error
  }

  async write(text: string): Promise<void> {
    this.lost.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.stream.write(text, (error) => (error ? reject(error) : resolve()));
    await untilLost(promise, this.lost);
  }

  /**
   * Ends the rows. The driver does not report that the database rejected rows after the last of them was sent; the next
   * statement does.
   * @throws {DumpIsUnreadable}
   */
  async end(): Promise<void> {
    this.stream.end();
    await setImmediate(); // by then the end of the rows is sent, and the statement follows it
    this.lost.throwIfAborted();
    try {
      await this.sql.unsafe("select 1");
    } catch (cause) {
      throw new DumpIsUnreadable("the database does not take its rows", { cause });
    }
  }

  giveUp(): void {
    this.stream.destroy();
  }
}

/** The driver may leave what it was asked for unanswered when its connection ends. */
async function untilLost(work: Promise<unknown>, lost: AbortSignal): Promise<void> {
  const { promise: never, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(lost.reason);
  lost.addEventListener("abort", giveUp);
  await Promise.race([work, never]).finally(() => lost.removeEventListener("abort", giveUp));
}

/** Lines of UTF-8 text without their line ends, all those of a chunk at a time. */
async function* linesOf(dump: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  for await (const chunk of dump) {
    const text = rest + decoder.decode(chunk, { stream: true });
    const lines = text.split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MAX_LINE_BYTES) throw new DumpIsUnreadable("a line is too long");
    if (lines.length > 0) yield lines;
  }
  if (rest !== "") throw new DumpIsUnreadable("the dump ends early");
}
