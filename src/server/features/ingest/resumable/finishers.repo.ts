import { eq, sql } from "drizzle-orm";
import type { Tx } from "../../../db/client.ts";
import { users } from "../../accounts/users/users.table.ts";
import { resumableUploads } from "./resumable-uploads.table.ts";

/** Whose upload a whole one is, and how many of that account wait to be taken in; undefined if it is gone. */
export async function findFinisher(
  tx: Tx,
  id: string,
): Promise<{ accountId: string; isTrial: boolean; waiting: number } | undefined> {
  const { accountId } = resumableUploads;
  const [row] = await tx
    .select({
      accountId,
      isTrial: sql<boolean>`coalesce(${users.isTrial}, false)`,
      waiting: sql`(select count(*) from resumable_uploads waiting
        where waiting.account_id = ${accountId} and waiting.state = 'processing')`.mapWith(Number),
    })
    .from(resumableUploads)
    .leftJoin(users, eq(users.id, accountId))
    .where(eq(resumableUploads.id, id));
  return row;
}
