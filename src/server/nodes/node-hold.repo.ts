import { sql } from "drizzle-orm";
import type { Tx } from "../db/client.ts";
import { type LockedSession, lockSession } from "../db/locked-session.ts";

const nameOf = (nodeId: string) => `node ${nodeId}`;

/** Holds a node for one process; returns `undefined` if another one has it. While it is held, no other process takes it for stopped. */
export async function holdNode(databaseUrl: string, nodeId: string): Promise<LockedSession | undefined> {
  return await lockSession(databaseUrl, "exameteca-node", async (session) => {
    const [lock] =
      await session`select pg_try_advisory_lock(hashtextextended(${nameOf(nodeId)}, 0)) as is_ours`;
    return lock?.is_ours === true;
  });
}

/** Whether no process holds the node; none can begin to until the transaction ends. */
export async function lockIdleNode(tx: Tx, nodeId: string): Promise<boolean> {
  const [row] = await tx.execute<{ is_idle: boolean }>(
    sql`select pg_try_advisory_xact_lock(hashtextextended(${nameOf(nodeId)}, 0)) as is_idle`,
  );
  return row?.is_idle === true;
}
