import { AppError } from "../../http/app-error.ts";
import { tooManyUploads } from "./ingest.errors.ts";

/** Bounds the uploads that one process takes at once. */
export interface UploadSlots {
  /** @throws {AppError} 429 with Retry-After where the account or the process has no room */
  take(accountId: string): Disposable;
}

export function createUploadSlots(limits: { perAccount: number; perProcess: number }): UploadSlots {
  const byAccount = new Map<string, number>();
  let all = 0;
  return {
    take(accountId) {
      const own = byAccount.get(accountId) ?? 0;
      if (own >= limits.perAccount || all >= limits.perProcess) {
        throw new AppError(tooManyUploads, { retryAfterSeconds: 5 });
      }
      byAccount.set(accountId, own + 1);
      all++;
      return {
        [Symbol.dispose]() {
          all--;
          const left = (byAccount.get(accountId) ?? 1) - 1;
          if (left === 0) byAccount.delete(accountId);
          else byAccount.set(accountId, left);
        },
      };
    },
  };
}
