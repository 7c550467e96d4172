import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { TransactionSql } from "postgres";
import { onConnection } from "../../db/postgres.ts";
import { writeHashed } from "./hashed-copy.ts";
import { listNamedObjects, type NamedObject } from "./named-objects.repo.ts";

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

/** Writes the objects that the snapshot names to a file, so that the transaction can end before the objects are read. */
export async function spoolNames(tx: TransactionSql, path: string, signal: AbortSignal): Promise<Total> {
  const total = { objects: 0, bytes: 0 };
  async function* lines(): AsyncGenerator<string> {
    for await (const object of listNamedObjects(tx)) {
      total.objects++;
      total.bytes += object.sizeBytes;
      yield `${JSON.stringify(object)}\n`;
    }
  }
  await writeHashed(lines(), path, signal);
  return total;
}

/** The objects of a file that {@link spoolNames} wrote. */
export async function* readNames(path: string): AsyncGenerator<NamedObject> {
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) yield JSON.parse(line) as NamedObject;
}
