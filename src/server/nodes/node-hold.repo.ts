import { sql } from "drizzle-orm";
import type { Tx } from "../db/client.ts";
import { openPostgres } from "../db/postgres.ts";

/** While it lasts, no other process takes this node for stopped. It ends with the process at the latest. */
export interface NodeHold extends AsyncDisposable {
  /** `false` if the connection that holds was lost meanwhile. */
  isHeld(): Promise<boolean>;
}

const nameOf = (nodeId: string) => `node ${nodeId}`;

/** Holds a node for one process; returns `undefined` if another one has it. */
export async function holdNode(databaseUrl: string, nodeId: string): Promise<NodeHold | undefined> {
  const session = openPostgres(databaseUrl, { max: 1, idle_timeout: 0, max_lifetime: null });
  const end = () => session.end({ timeout: 5 });
  const backend = async () => (await session`select pg_backend_pid() as pid`)[0]?.pid as number | undefined;
  try {
    const pid = await backend();
    const [lock] =
      await session`select pg_try_advisory_lock(hashtextextended(${nameOf(nodeId)}, 0)) as is_ours`;
    if (lock?.is_ours) {
      const isHeld = async () => (await backend().catch(() => undefined)) === pid;
      return { isHeld, [Symbol.asyncDispose]: end };
    }
  } catch (error) {
    await end();
    throw error;
  }
  await end();
  return undefined;
}

/** Whether no process holds the node; none can begin to until the transaction ends. */
export async function lockIdleNode(tx: Tx, nodeId: string): Promise<boolean> {
  const [row] = await tx.execute<{ is_idle: boolean }>(
    sql`select pg_try_advisory_xact_lock(hashtextextended(${nameOf(nodeId)}, 0)) as is_idle`,
  );
  return row?.is_idle === true;
}
