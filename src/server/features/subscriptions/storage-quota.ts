import { GIB } from "../../../shared/units.ts";
import type { DbOrTx, Tx } from "../../db/client.ts";
import { AppError } from "../../http/app-error.ts";
import { findStorageQuota, type StorageQuota } from "./storage.repo.ts";
import { ownerStorageLimitReached, storageLimitReached } from "./subscriptions.errors.ts";
import { lockSubscription } from "./subscriptions.repo.ts";

/**
 * A quota in GB, for messages. Rounding never shows usage within the limit as above it, nor usage above the limit as within
 * it.
 */
export function gigabytesOf(usedBytes: number, limitBytes: number): { used: number; limit: number } {
  const steps = limitBytes < GIB ? 1000 : 10;
  const limit = Math.floor((limitBytes / GIB) * steps) / steps;
  const used = Math.ceil((usedBytes / GIB) * steps) / steps;
  return { used: usedBytes <= limitBytes ? Math.min(used, limit) : used, limit };
}

export function storageExceeded({ usedBytes, limitBytes }: StorageQuota): AppError {
  return new AppError(storageLimitReached, {
    values: gigabytesOf(usedBytes, limitBytes),
    members: { storageBytes: limitBytes, storageUsedBytes: usedBytes },
  });
}

/** The account whose plan is charged. Only the caller's own usage is shown to them. */
interface ChargedAccount {
  id: string;
  isCaller: boolean;
}

/**
 * Makes sure that the account's plan has room for `bytes` more, in the transaction that stores them. Locks the subscription
 * first, so that concurrent writes to the account run one after another.
 * @throws {AppError} `quota.bytes`
 */
export async function chargeStorage(tx: Tx, account: ChargedAccount, bytes: number): Promise<void> {
  await lockSubscription(tx, account.id);
  await assertStorageFits(tx, account, bytes);
}

/**
 * Checks for room without a lock, so that nothing is stored in vain. An admin's account has no limit.
 * @throws {AppError} `quota.bytes`
 */
export async function assertStorageFits(db: DbOrTx, account: ChargedAccount, bytes: number): Promise<void> {
  const quota = await findStorageQuota(db, account.id);
  if (!quota || quota.usedBytes + bytes <= quota.limitBytes) return;
  throw account.isCaller ? storageExceeded(quota) : new AppError(ownerStorageLimitReached);
}
