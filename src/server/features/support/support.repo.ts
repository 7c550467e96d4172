import type { DbOrTx } from "../../db/client.ts";
import { supportMessages } from "./support.table.ts";

export async function insertSupportMessage(
  db: DbOrTx,
  row: typeof supportMessages.$inferInsert,
): Promise<void> {
  await db.insert(supportMessages).values(row);
}
