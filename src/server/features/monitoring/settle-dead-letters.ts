import type { DismissedLetters, RetriedLetters } from "../../../shared/api/operations.ts";
import type { Tx } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import type { Session } from "../../http/session.ts";
import { countDeadLetters, lockDeadLetters } from "../../jobs/dead-letters.repo.ts";
import { kindOfQueue } from "../../jobs/queue.ts";
import { type AuditAction, recordAudit } from "../audit/audit.repo.ts";

interface Settling {
  ids: string[];
  admin: Pick<Session, "userId">;
  origin: RequestOrigin;
}

type SettleDeps = Pick<Deps, "db" | "clock" | "jobs">;

/** Returns dead letters to their queues. Letters that another admin settled meanwhile count for nothing. Audited. */
export async function retryDeadLetters(deps: SettleDeps, settling: Settling): Promise<RetriedLetters> {
  return await deps.db.transaction(async (tx) => {
    const chosen = await lockDeadLetters(tx, settling.ids);
    const retried = await deps.jobs.retryDeadLetters(settling.ids, tx);
    const left = await countDeadLetters(tx, settling.ids);
    await record(deps, tx, "dead_letters.retried", settling, chosen);
    return { retried, stuck: sumOf(left) };
  });
}

/** Deletes dead letters: their work is not done. Letters that another admin settled meanwhile count for nothing. Audited. */
export async function dismissDeadLetters(deps: SettleDeps, settling: Settling): Promise<DismissedLetters> {
  return await deps.db.transaction(async (tx) => {
    const chosen = await lockDeadLetters(tx, settling.ids);
    await deps.jobs.dismissDeadLetters(settling.ids, tx);
    await record(deps, tx, "dead_letters.dismissed", settling, chosen);
    return { dismissed: sumOf(chosen) };
  });
}

async function record(
  { clock }: Pick<Deps, "clock">,
  tx: Tx,
  action: AuditAction,
  { admin, origin }: Settling,
  chosen: Map<string, number>,
): Promise<void> {
  if (chosen.size === 0) return;
  const kinds: Record<string, number> = {};
  for (const [queue, letters] of chosen) {
    const kind = kindOfQueue(queue);
    kinds[kind] = (kinds[kind] ?? 0) + letters;
  }
  const event = { at: clock.now(), action, actorId: admin.userId, accountId: null, details: { kinds } };
  await recordAudit(tx, { ...event, ...origin });
}

function sumOf(letters: Map<string, number>): number {
  return [...letters.values()].reduce((sum, some) => sum + some, 0);
}
