import { isInForce } from "../../../shared/rules/subscription.ts";
import { MIB } from "../../../shared/units.ts";
import type { Deps } from "../../deps.ts";
import type { Turns } from "../../runtime/turns.ts";
import { measureOpen } from "../ingest/resumable/reserved-bytes.repo.ts";
import { findStoredStudies } from "../studies/study-contents.repo.ts";
import { findStorageQuota } from "../subscriptions/storage.repo.ts";
import { findSubscriptionWithPlan } from "../subscriptions/subscriptions.repo.ts";

/** A plan with less room than this is asked about each instance, one with more once in so many bytes. */
export const ASK_PLAN_BYTES = 32 * MIB;
/** The manifests of what waits take room besides. */
const MANIFEST_BYTES = MIB;

/** Studies of an account that this node acknowledged, or is about to, and that may not be stored yet. */
export interface PendingStudies {
  uids: Set<string>;
  /** One association after the other asks whether the plan has room for another study. */
  turns: Turns;
}

/**
 * Whether an account's plan has room for an instance, so that what is acknowledged now can be taken in later. `uids` are the account's
 * pending studies; those that are stored by now are taken out of it.
 */
export async function roomInPlan(
  { db, clock }: Pick<Deps, "db" | "clock">,
  accountId: string,
  arriving: { uids: Set<string>; sizeBytes: number; studyInstanceUID: string },
): Promise<"none" | "little" | "ample"> {
  const { uids, sizeBytes, studyInstanceUID } = arriving;
  const found = await findSubscriptionWithPlan(db, accountId);
  if (!found || !isInForce(found.subscription, clock.now())) return "none";
  const quota = await findStorageQuota(db, accountId);
  const waiting = await measureOpen(db, { accountId, deliveryId: null });
  const leftBytes = quota ? quota.limitBytes - quota.usedBytes - waiting.bytes - MANIFEST_BYTES : Infinity;
  if (leftBytes < sizeBytes) return "none";
  const room = leftBytes < Math.max(sizeBytes, ASK_PLAN_BYTES) ? "little" : "ample";
  const wanted = new Set([...uids, studyInstanceUID]);
  const stored = await findStoredStudies(db, accountId, [...wanted]);
  for (const uid of stored.keys()) uids.delete(uid);
  if (stored.has(studyInstanceUID)) return room;
  const added = [...wanted].filter((uid) => !stored.has(uid)).length;
  return found.subscription.examCount + added <= found.plan.examLimit ? room : "none";
}
