import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { TransactionSql } from "postgres";
import { onConnection } from "../../db/postgres.ts";
import { writeHashed } from "./hashed-copy.ts";

/** The totals of the objects that a snapshot's rows name. */
export interface Total {
  objects: number;
  bytes: number;
}

/**
 * Runs `work` on one snapshot of the database, without blocking it. `lost` is aborted when the connection ends.
 * @throws {ConnectionLost}
 */
export async function inSnapshot<Result>(
  databaseUrl: string,
  work: (tx: TransactionSql, lost: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return await onConnection(databaseUrl, "exameteca-snapshot", async (sql, lost) => {
    const read = (tx: TransactionSql) => work(tx, lost);
    return (await sql.begin("isolation level repeatable read read only", read)) as Result;
  });
}

/** Writes rows of the snapshot to a file, so that the transaction can end before the bytes that they name are read. */
export async function spoolRows<Row extends { sizeBytes: number }>(
  rows: AsyncIterable<Row>,
  path: string,
  signal: AbortSignal,
): Promise<Total> {
  const total = { objects: 0, bytes: 0 };
  async function* lines(): AsyncGenerator<string> {
    for await (const row of rows) {
      total.objects++;
      total.bytes += row.sizeBytes;
      yield `${JSON.stringify(row)}\n`;
    }
  }
  await writeHashed(lines(), path, signal);
  return total;
}

/** The rows of a file that {@link spoolRows} wrote. */
export async function* readRows<Row>(path: string): AsyncGenerator<Row> {
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) yield JSON.parse(line) as Row;
}
