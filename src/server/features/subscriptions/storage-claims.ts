import type { StorageQuota } from "./storage.repo.ts";
import { storageExceeded } from "./storage-quota.ts";

/**
 * Adds up what an account's running uploads may store, within this process, so that many uploads at once cannot fill the disk
 * with more than the plan allows. This is only a hint: the commit decides, under a lock across all nodes.
 */
export interface StorageClaims {
  open(accountId: string, quota: StorageQuota | undefined): StorageClaim;
}

export interface StorageClaim extends Disposable {
  /** Raises the claim to at least `bytes`. @throws {AppError} `quota.bytes` if the plan has no room for them */
  hold(bytes: number): void;
  /** The room left in the plan, this claim included; infinite if the account has no limit. */
  readonly roomBytes: number;
  /** The plan's whole capacity; infinite if the account has no limit. */
  readonly limitBytes: number;
  /** Updates the claim with the account's current usage. */
  refresh(quota: StorageQuota | undefined): void;
}

export function createStorageClaims(): StorageClaims {
  const byAccount = new Map<string, number>();
  return {
    open(accountId, initialQuota) {
      let quota = initialQuota;
      let heldBytes = 0;
      const set = (bytes: number) => {
        const all = (byAccount.get(accountId) ?? 0) - heldBytes + bytes;
        heldBytes = bytes;
        if (all > 0) byAccount.set(accountId, all);
        else byAccount.delete(accountId);
      };
      const room = () => {
        if (!quota) return Number.POSITIVE_INFINITY;
        const othersBytes = (byAccount.get(accountId) ?? 0) - heldBytes;
        return Math.max(0, quota.limitBytes - quota.usedBytes - othersBytes);
      };
      return {
        get roomBytes() {
          return room();
        },
        get limitBytes() {
          return quota?.limitBytes ?? Number.POSITIVE_INFINITY;
        },
        refresh(newer) {
          quota = newer;
        },
        hold(bytes) {
          if (!quota || bytes <= heldBytes) return;
          if (bytes > room()) throw storageExceeded(quota);
          set(bytes);
        },
        [Symbol.dispose]: () => set(0),
      };
    },
  };
}
