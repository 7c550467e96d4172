import type { PgBoss, QueueResult } from "pg-boss";
import { KEEP_DONE_SECONDS } from "./queue.ts";

/** pg-boss's own queue: each of its jobs enqueues one of a schedule. By itself it would keep them for a week. */
const SCHEDULING = "__pgboss__send-it";

/** Has that queue forget its finished jobs as others do. Idempotent. */
export async function keepSchedulingShort(boss: PgBoss, queues: readonly QueueResult[]): Promise<void> {
  const found = queues.find(({ name }) => name === SCHEDULING);
  if (!found || found.deleteAfterSeconds === KEEP_DONE_SECONDS) return;
  await boss.updateQueue(SCHEDULING, { deleteAfterSeconds: KEEP_DONE_SECONDS });
}
