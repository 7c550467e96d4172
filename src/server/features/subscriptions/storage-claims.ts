import type { StorageQuota } from "./storage.repo.ts";
import { storageExceeded } from "./storage-quota.ts";

/**
 * What uploads under way may bring an account, added up in this process: many at once can't fill the disk with what the plan
 * has no room for. Only a hint: the commit decides, under a lock that holds for all nodes.
 */
export interface StorageClaims {
  open(accountId: string, quota: StorageQuota | undefined): StorageClaim;
}

export interface StorageClaim extends Disposable {
  /** Has it stand for `bytes` at least. @throws {AppError} `quota.bytes` where the plan has no room for them */
  hold(bytes: number): void;
  /** What the plan has room for, this claim included; infinite where nothing limits the account. */
  readonly roomBytes: number;
  /** What the whole plan holds; as above. */
  readonly limitBytes: number;
  /** Goes by what the account keeps by now. */
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
